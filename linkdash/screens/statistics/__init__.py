"""What QR codes were scanned: one code, several summed or side by side, all of them, and as it happens."""

from linkdash.screens.statistics.screen import CompareScreen, StatisticsScreen
from linkdash.screens.statistics.top import TopScreen
from linkdash.screens.statistics.watch import WatchScreen

STATISTICS_SCREENS = (StatisticsScreen, CompareScreen, TopScreen, WatchScreen)
"""Every screen of statistics, for whatever must know all screens."""
