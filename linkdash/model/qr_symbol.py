"""The QR code of a text, before it is drawn."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import segno


def qr_symbol(text: str) -> "segno.QRCode":
    """Encode a text, which is not empty.

    Raises ValueError for characters that no code holds; segno.DataOverflowError, which is one, for too many.
    """
    import segno  # 50 ms, so only once a code is wanted

    if text.isascii():
        return segno.make_qr(text, error="l")
    # left to choose, it takes UTF-8 that could be kanji for kanji, and scanners read other letters
    return segno.make_qr(text, error="l", encoding="utf-8", mode="byte")
