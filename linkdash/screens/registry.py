"""The screens of all places in the order of their digits."""

from linkdash.screens.account import AccountScreen
from linkdash.screens.budget import BudgetScreen
from linkdash.screens.campaigns import CampaignsScreen
from linkdash.screens.channel_items import ChannelItemsScreen
from linkdash.screens.channels import ChannelsScreen
from linkdash.screens.domains import DomainsScreen
from linkdash.screens.host import HostScreen
from linkdash.screens.overlays import OverlaysScreen
from linkdash.screens.pixels import PixelsScreen
from linkdash.screens.plans import PlansScreen
from linkdash.screens.qr import QrScreen
from linkdash.screens.splash import SplashScreen
from linkdash.screens.statistics import STATISTICS_SCREENS
from linkdash.screens.users import UsersScreen
from linkdash.screens.writing.job import JobScreen
from linkdash.screens.writing.journal import JournalScreen

SCREENS: tuple[type[HostScreen], ...] = (
    AccountScreen,
    DomainsScreen,
    OverlaysScreen,
    SplashScreen,
    CampaignsScreen,
    ChannelsScreen,
    PixelsScreen,
    QrScreen,
    PlansScreen,
    UsersScreen,
)

OPENED_SCREENS: tuple[type[HostScreen], ...] = (
    BudgetScreen,
    ChannelItemsScreen,
    JobScreen,
    JournalScreen,
    *STATISTICS_SCREENS,
)
"""Screens that are opened from others."""
