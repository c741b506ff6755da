"""The words the made records are put together from. Addresses lie in domains reserved for examples."""

FIRST_NAMES = """
Anna Ben Chiara David Elif Farid Greta Hugo Ines Jonas Katarzyna Lena Mateo Nadia Oskar Priya Quentin
Rosa Samuel Tereza Ulf Valeria Wei Ximena Yusuf Zoë Aïcha Björn Dmitri Emeka Fatima Haruto Ingrid João
Keiko Łukasz Mária Noor Olena Pedro Ruth Søren Tomás Uma Viktor Yara
"""
LAST_NAMES = """
Keller Novak Rossi Schmidt Yilmaz Haddad Lindqvist Moreau Costa Weber Kowalska Fischer Garcia Petrova
Nilsen Sharma Dubois Silva Cohen Dvořák Hansen Okafor Tanaka Zhang Romero Demir Ibrahim Larsen Sato
Müller Almeida Horvath Nguyen Andersson Bakker Conti Eriksen Fontaine Gruber Jansen Khan Lopez Meyer
O'Brien Park Ricci
"""
MAIL_HOSTS = ("example.com", "example.org", "example.net", "mail.example", "studio.example", "post.example")

BRANDS = (
    ("Harbor Coffee", "harbor-coffee.example"),
    ("Nordlys Outdoor", "nordlys.example"),
    ("Alte Brauerei", "alte-brauerei.example"),
    ("City Museum", "museum.example"),
    ("Velo Station", "velo-station.example"),
    ("Green Market", "green-market.example"),
    ("Tidewater Hotel", "tidewater.example"),
    ("Lumen Theatre", "lumen-theatre.example"),
    ("Atlas Books", "atlas-books.example"),
    ("Kita Sonnenblume", "kita-sonnenblume.example"),
    ("東京ポップアップ", "tokyo-popup.example"),
    ("Riverside Clinic", "riverside-clinic.example"),
)
HOST_PREFIXES = ("go", "link", "l", "to", "qr", "get")

OCCASIONS = (
    "Spring sale",
    "Summer festival",
    "Back to school",
    "Black Friday",
    "Advent calendar",
    "Opening week",
    "Loyalty programme",
    "Newsletter sign-up",
    "Trade fair",
    "Gift cards",
    "Student discount",
    "Recruiting",
    "Guided tours",
    "Season tickets",
    "Product launch",
)
PLACES = (
    "Table",
    "Shop window",
    "Poster",
    "Flyer",
    "Receipt",
    "Bus stop",
    "Hotel room",
    "Entrance",
    "Business card",
    "Packaging",
    "Trade fair stand",
    "Menu",
    "Exhibit",
    "Ticket",
    "Delivery note",
)
CHANNELS = (
    "Print",
    "Outdoor",
    "Social media",
    "Newsletter",
    "In store",
    "Partners",
    "Events",
    "Packaging",
    "Press",
    "Café tables",
    "Field sales",
    "Trade fairs",
    "Support",
    "Wayfinding",
    "محطة المترو",
)
COLORS = (
    "#E4572E",
    "#17BEBB",
    "#FFC914",
    "#2E282A",
    "#76B041",
    "#5B8E7D",
    "#BC4B51",
    "#3D5A80",
    "#F4A259",
    "#8CB369",
)
RGB_PAIRS = (
    ("rgb(255,255,255)", "rgb(0,0,0)"),
    ("rgb(255,255,255)", "rgb(61,90,128)"),
    ("rgb(255,250,240)", "rgb(46,40,42)"),
    ("rgb(240,248,255)", "rgb(188,75,81)"),
)
OVERLAY_TYPES = ("message", "contact", "poll")

COUNTRIES = (
    "Germany",
    "United States",
    "France",
    "Poland",
    "Japan",
    "Brazil",
    "United Kingdom",
    "Netherlands",
    "Czechia",
    "Austria",
    "Italy",
    "Spain",
    "Türkiye",
    "India",
    "Sweden",
    "Côte d'Ivoire",
    "日本",
)
REFERRERS = (
    "Direct",
    "https://search.example",
    "https://news.example/morning",
    "https://social.example",
    "https://video.example/watch",
    "https://mail.example",
    "https://forum.example/t/4711",
    "https://partner.example.org",
)
BROWSERS = ("Safari", "Chrome", "Samsung Internet", "Firefox", "Edge", "Opera", "WebView")
SYSTEMS = ("iOS", "Android", "Windows", "macOS", "Linux", "HarmonyOS")
