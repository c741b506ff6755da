import re
import xml.etree.ElementTree as ET

from rich.segment import Segment
from textual.strip import Strip

from tests.scenes.moving import PATH, moving_svg

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_LARGEST = 1_000_000


def test_every_line_is_kept_once_and_shown_while_it_stands_there() -> None:
    both, first, second = (Strip([Segment(text)]) for text in ("title", "before", "after"))
    drawn = ET.fromstring(moving_svg([(1.0, "one", [both, first]), (3.0, "two", [both, second])], "#000000"))
    shown = {
        group.findtext(f"{_NAMESPACE}text"): animation.attrib if animation is not None else None
        for group in drawn.iter(f"{_NAMESPACE}g")
        for animation in [group.find(f"{_NAMESPACE}animate")]
    }
    assert shown.keys() == {"title", "before", "after", "one", "two"}
    assert shown["title"] is None
    for text in ("after", "two"):
        found = shown[text]
        assert found is not None
        assert (found["values"], found["keyTimes"], found["dur"]) == (
            "hidden;visible",
            "0.0000;0.2500",
            "4s",
        )


def test_the_picture_of_the_readme_is_small_and_needs_nothing_but_itself() -> None:
    text = PATH.read_text()
    assert len(text.encode()) < _LARGEST
    assert ET.fromstring(text).tag == f"{_NAMESPACE}svg"
    assert not re.search(r"<script|href=|url\(|demo-(admin|user|key)-", text)
