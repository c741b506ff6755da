"""The places of the program in the order of their digits: known before any of their screens is there."""

from linkdash.widgets.navigation import Place

ACCOUNT = Place("account", "1", "Account")
DOMAINS = Place("domains", "2", "Domains")
OVERLAYS = Place("overlays", "3", "Overlays")
SPLASH = Place("splash", "4", "Splash pages")
CAMPAIGNS = Place("campaigns", "5", "Campaigns")
CHANNELS = Place("channels", "6", "Channels")
PIXELS = Place("pixels", "7", "Pixels")
QR = Place("qr", "8", "QR codes")
PLANS = Place("plans", "9", "Plans")
USERS = Place("users", "0", "Users")

PLACES = (ACCOUNT, DOMAINS, OVERLAYS, SPLASH, CAMPAIGNS, CHANNELS, PIXELS, QR, PLANS, USERS)
