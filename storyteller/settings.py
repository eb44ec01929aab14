"""All settings, in sections. What the operator may set comes from the environment (docs/settings.md)."""

from pathlib import Path

import django_stubs_ext

from storyteller.env import Environment
from storyteller.secret_key import load_secret_key

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
ENV = Environment.of_process()

# --- The data folder ---------------------------------------------------------------------------------------

DATA_FOLDER = ENV.folder("STORYTELLER_DATA", BASE_DIR / "data")
SECRET_KEY = load_secret_key(DATA_FOLDER)
DEBUG = ENV.flag("STORYTELLER_DEBUG")

# --- Applications ------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "daphne",
    "storyteller",
    "narrative",
    "knowledge",
    "campaigns",
    "channels",
    "ninja",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "storyteller.problem_documents.ProblemDocuments",
    "storyteller.middleware.SecurityHeaders",
    "storyteller.middleware.KnownHosts",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "storyteller.middleware.SessionRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "storyteller.urls"
ASGI_APPLICATION = "storyteller.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Not in a cookie, whose name would be another program's too.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- Database ----------------------------------------------------------------------------------------------

DATABASE_BUSY_SECONDS = 15
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_FOLDER / "story.sqlite3",
        "OPTIONS": {
            # A write takes the lock when it begins, so that it waits its turn instead of failing half-way.
            "transaction_mode": "IMMEDIATE",
            "timeout": DATABASE_BUSY_SECONDS,
            "init_command": (
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
                " PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;"
            ),
        },
    }
}

# --- Who gets in -------------------------------------------------------------------------------------------

LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = [*LOOPBACK_HOSTS, *ENV.names("STORYTELLER_HOSTS")]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "campaigns"
LOGOUT_REDIRECT_URL = "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]

# Cookies ignore ports: with names of our own, another program on this machine does not overwrite them.
SESSION_COOKIE_NAME = "storyteller_session"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 90
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "storyteller_csrf"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "storyteller.views.csrf_failure"

# --- Telling sockets of changes --------------------------------------------------------------------------

# campaigns tells whoever this names that a story changed; it knows nothing of sockets itself.
STORY_CHANGE_LISTENER = "narrative.watching.story_changed"
CAMPAIGN_SETUP = "narrative.setup.settle_opening"

# --- Inference ---------------------------------------------------------------------------------------------

INFERENCE_API = ENV.choice("STORYTELLER_INFERENCE_API", ("auto", "ollama", "openai", "rehearsal"), "auto")
INFERENCE_URL = ENV.endpoint("STORYTELLER_INFERENCE_URL", "http://127.0.0.1:11434")
INFERENCE_KEY = ENV.text("STORYTELLER_INFERENCE_KEY")
INFERENCE_MODEL = ENV.text("STORYTELLER_MODEL")
# Empty: the narrator's model.
EXTRACTOR_MODEL = ENV.text("STORYTELLER_EXTRACTOR_MODEL")
SUMMARIZER_MODEL = ENV.text("STORYTELLER_SUMMARIZER_MODEL")
# What a model server may be beside this machine (narrative/inference/policy.py).
ALLOWED_ENDPOINTS = ENV.names("STORYTELLER_ALLOWED_ENDPOINTS")
CA_FILE = ENV.text("STORYTELLER_CA_FILE")
EMBEDDINGS = ENV.choice("STORYTELLER_EMBEDDINGS", ("embedded", "ollama", "openai", "off"), "embedded")
EMBEDDING_MODEL = ENV.text("STORYTELLER_EMBEDDING_MODEL")
EVENTS = ENV.choice("STORYTELLER_EVENTS", ("call", "block"), "call")
# How long a told turn waits for what it changed, in seconds.
SETTLE_TIMEOUT = 60
# Memories and summaries are written in the background. Off only where a test wants quiet.
DERIVED_WORK = True
EVIDENCE = ENV.choice("STORYTELLER_EVIDENCE", ("mark", "refuse", "off"), "mark")
CONTEXT_WINDOW = ENV.whole_number("STORYTELLER_CONTEXT_WINDOW", 8192, low=512, high=2_000_000)
MAX_OUTPUT_TOKENS = ENV.whole_number("STORYTELLER_MAX_OUTPUT_TOKENS", 600, low=16, high=200_000)
# Tokens a second that the embedded narrator keeps to; 0 is at once.
REHEARSAL_RATE = ENV.whole_number("STORYTELLER_REHEARSAL_RATE", 40, low=0, high=100_000)
FIRST_TOKEN_TIMEOUT = ENV.seconds("STORYTELLER_FIRST_TOKEN_TIMEOUT", 300)
TOKEN_TIMEOUT = ENV.seconds("STORYTELLER_TOKEN_TIMEOUT", 60)

# --- Language, time, static files --------------------------------------------------------------------------

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# The app serves its own files straight from their folders: there is no collecting step to forget.
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_MAX_AGE = 0
SERVESTATIC_ALLOW_ALL_ORIGINS = False
SERVESTATIC_AUTOREFRESH = DEBUG

# --- Logs: structured, rotated, and without a word of the story --------------------------------------------

LOG_FOLDER = DATA_FOLDER / "logs"
LOG_FOLDER.mkdir(parents=True, exist_ok=True)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "storyteller.logs.JsonFormatter"}},
    "handlers": {
        "file": {
            "class": "logging.handlers.RotatingFileHandler",
            "filename": LOG_FOLDER / "storyteller.log",
            "maxBytes": 2_000_000,
            "backupCount": 5,
            "delay": True,
            "formatter": "json",
        },
        "console": {"class": "logging.StreamHandler", "level": "ERROR", "formatter": "json"},
    },
    "root": {"handlers": ["file", "console"], "level": "INFO"},
    "loggers": {
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
        "django.server": {"level": "WARNING"},
        "daphne": {"level": "WARNING"},
        "twisted": {"level": "WARNING"},
    },
}
