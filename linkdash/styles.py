"""Where the style sheets lie: inside the package of a wheel, beside it in an editable install."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
_FOLDERS = (_PACKAGE / "styles", _PACKAGE.parent / "styles")


def style_paths(*names: str) -> list[Path]:
    """The style sheets of these names, in this order; every one of them, by name, if none is named.

    A sheet is named after what it styles: `style_paths("table")` is `styles/table.tcss`. Raises
    FileNotFoundError for a name that has no sheet.
    """
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), None)
    if folder is None:
        raise FileNotFoundError(f"no styles in {' or '.join(str(folder) for folder in _FOLDERS)}")
    if not names:
        return sorted(folder.glob("*.tcss"))
    paths = [folder / f"{name}.tcss" for name in names]
    if missing := next((path for path in paths if not path.is_file()), None):
        raise FileNotFoundError(f"no style sheet {missing}")
    return paths
