"""Numbers, ages and names in words."""

from rich.cells import cell_len, set_cell_size

from linkdash.api.text import inert


def shortened(text: str, width: int) -> str:
    """`text` in one line of at most `width` cells."""
    line = inert(" ".join(text[: width * 4].split()))
    return line if cell_len(line) <= width else set_cell_size(line, width - 1) + "…"


def ago(seconds: float) -> str:
    """An age: `now`, `14 s ago`, `3 min ago`, `2 h ago`, `5 days ago`."""
    if seconds < 1:
        return "now"
    if seconds < 60:
        return f"{int(seconds)} s ago"
    if seconds < 3600:
        return f"{int(seconds // 60)} min ago"
    if seconds < 2 * 86400:
        return f"{int(seconds // 3600)} h ago"
    return f"{int(seconds // 86400)} days ago"


def age_words(seconds: float) -> str:
    """An age to the minute, so that a line that tells it changes no more often."""
    return "now" if seconds < 60 else ago(seconds)


def span(days: int) -> str:
    """A long time in two words: `today`, `23 d`, `4 mo`, `2 y`."""
    if days < 1:
        return "today"
    if days < 60:
        return f"{days} d"
    return f"{days // 30} mo" if days < 730 else f"{days // 365} y"


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 request`, `12 requests`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def with_article(noun: str) -> str:
    """`a domain`, `an overlay`."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"
