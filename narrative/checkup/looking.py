"""What a model server says of itself: where it is, which API it speaks, and which models it has."""

import ipaddress
from contextlib import suppress

from narrative.checkup.lines import Finding, Status, failure
from narrative.checkup.subject import Subject, name_some
from narrative.inference.base import BadResponseError, InferenceError
from narrative.inference.http import HttpClient, StatusError, resolve
from narrative.inference.ollama import OllamaBackend
from narrative.inference.openai import OpenAIBackend
from narrative.inference.policy import is_remote_model_name
from narrative.inference.roles import Role
from narrative.inference.server_errors import explain_status
from narrative.inference.server_json import get_text

# From this version on Ollama refuses a prompt that is too long when it is asked to, instead of cutting it.
_REFUSES_LONG_PROMPTS = (0, 12, 6)
_LEAST_WINDOW = 4096
_NAMES = {OllamaBackend.api: "Ollama’s own API", OpenAIBackend.api: "the OpenAI API"}
_WORK = {Role.EXTRACTOR: "events", Role.SUMMARIZER: "summaries"}


async def look_at_address(subject: Subject) -> Finding:
    endpoint = subject.endpoint
    await subject.client(subject.engine.inference_url).check_endpoint()
    addresses: list[str] = []
    with suppress(OSError):  # it was known a moment ago
        addresses = await resolve(endpoint.host, endpoint.port)
    is_here = all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in addresses)
    where = "this machine" if is_here else "a machine of your own network"
    tls = "over TLS" if endpoint.scheme == "https" else "without TLS"
    permission = "" if is_here else ", which you have allowed"
    return Finding(
        Status.OK, f"{endpoint.url} leads to {' and '.join(addresses)}, {where}{permission}, {tls}."
    )


async def look_for_server(subject: Subject) -> Finding:
    try:
        await subject.backend.check_health()
    except BadResponseError as error:
        return await _other_api(subject, error)
    subject.models = await subject.backend.list_models()
    version = await _ollama_version(subject)
    if subject.backend.api == OllamaBackend.api:
        return _judge_ollama(version)
    if version:
        return Finding(
            Status.WARNING,
            f"Ollama {version} answers, through the OpenAI API. That API cannot set the context window, so "
            "that long prompts may be cut without a word.",
            "Choose the API “ollama” on the settings page (or with STORYTELLER_INFERENCE_API).",
        )
    return Finding(Status.OK, f"A server with the OpenAI API answers. {_count(subject)}")


async def look_at_model(subject: Subject) -> Finding:
    names = [info.name for info in subject.models if not info.is_remote]
    if not subject.model:
        has = f"The server has {name_some(names)}." if names else "The server has none yet."
        return Finding(Status.FAILED, f"No model is chosen. {has}", "Choose one on the settings page.")
    listed = subject.listed(subject.model)
    is_remote = is_remote_model_name(subject.model) or (listed is not None and listed.is_remote)
    subject.connection.policy.check_model(subject.model, is_remote=is_remote)
    if listed is None and subject.backend.api == OpenAIBackend.api:
        return Finding(
            Status.WARNING,
            f"The server does not list “{subject.model}”. It lists {name_some(names) or 'no model'}.",
            "If it serves one model under any name, all is well. Otherwise choose one that it lists.",
        )
    subject.description = await subject.backend.describe_model(subject.model)
    capabilities = subject.description.capabilities
    if capabilities and "completion" not in capabilities:
        return Finding(
            Status.FAILED,
            f"“{subject.model}” cannot write: it is made for {name_some(sorted(capabilities))}.",
            "Choose a model that writes; this one may serve as the embedding model.",
        )
    if is_remote:
        return Finding(
            Status.WARNING,
            f"“{subject.model}” runs on somebody else’s machine, which you have allowed. Your stories go "
            "there.",
            "Choose a model that runs here if they should not.",
        )
    return Finding(Status.OK, f"The server has “{subject.model}”.")


async def look_at_other_models(subject: Subject) -> Finding:
    """The models that tell no story, and are asked for by the game itself."""
    missing: list[str] = []
    for model, roles in subject.other_models.items():
        listed = subject.listed(model)
        subject.connection.policy.check_model(model, is_remote=listed is not None and listed.is_remote)
        if listed is None:
            missing.append(f"“{model}” for {_work_of(roles)}")
    if missing:
        return Finding(
            Status.WARNING,
            f"The server does not list {name_some(missing)}.",
            "Get it, or leave the field empty on the settings page: the narrator’s model then does it.",
        )
    named = [f"“{model}” for {_work_of(roles)}" for model, roles in subject.other_models.items()]
    return Finding(Status.OK, f"The server has {name_some(named)}.")


async def look_at_window(subject: Subject) -> Finding:
    """The window that prompts are made for, against what the model was made for and is loaded with."""
    window = subject.engine.context_window
    length = subject.description.context_length if subject.description else None
    if length is None:
        return Finding(
            Status.SKIPPED,
            f"The server does not tell how much the model can read. Prompts are made for {window:,} tokens.",
            f"See to it that the server was started with a context of {window:,} tokens or more.",
        )
    if length < window:
        return Finding(
            Status.WARNING,
            f"The window is set to {window:,} tokens, but the model was made for {length:,}.",
            f"Set the window to {length:,} or less"
            + (", or choose a model that reads more." if length < _LEAST_WINDOW else "."),
        )
    in_use = await window_in_use(subject)
    if in_use is not None and in_use != window:
        return Finding(
            Status.WARNING,
            f"The window is {window:,} tokens of the model’s {length:,}. The server has it loaded with "
            f"{in_use:,}, perhaps for another program: each change of window loads it again.",
            f"If this happens often, set the same window everywhere: {in_use:,} here, or {window:,} there.",
        )
    return Finding(Status.OK, f"The window is {window:,} tokens, and the model was made for {length:,}.")


async def look_at_thinking(subject: Subject) -> Finding:
    reasoning = subject.engine.reasoning
    capabilities = subject.description.capabilities if subject.description else frozenset()
    has_thought = subject.tried is not None and subject.tried.has_thought
    if has_thought and not reasoning:
        return Finding(
            Status.WARNING,
            "The model thinks before it writes, although that is switched off. That takes from the length of "
            "its replies.",
            "Switch thinking on, so that it has an allowance of its own, or choose another model.",
        )
    if reasoning and capabilities and "thinking" not in capabilities:
        return Finding(
            Status.WARNING,
            "Thinking is switched on, but the model does not think.",
            "Switch it off: it only takes room in the window.",
        )
    if not capabilities and not has_thought:
        return Finding(Status.SKIPPED, "The server does not tell whether the model can think.")
    if not reasoning:
        can = "can think, and is told not to" if "thinking" in capabilities else "does not think"
        return Finding(Status.OK, f"The model {can}.")
    tokens = subject.engine.reasoning_tokens
    return Finding(Status.OK, f"The model may think before it writes, for {tokens:,} tokens at most.")


async def window_in_use(subject: Subject) -> int | None:
    """The window that the model is loaded with; None where it is not loaded or the server does not tell."""
    loaded = await subject.backend.list_loaded() or {}
    name = subject.model.removesuffix(":latest")
    return next((window for other, window in loaded.items() if other.removesuffix(":latest") == name), None)


async def _other_api(subject: Subject, error: BadResponseError) -> Finding:
    """Something answers, but not as it should: is it the other API that it speaks?"""
    url = subject.endpoint.url
    if subject.backend.api == OpenAIBackend.api:
        if await _ollama_version(subject):
            return _wrong_api(subject, OllamaBackend.api)
    elif url.endswith("/v1") and await _ollama_version(subject):
        return Finding(
            Status.FAILED,
            "Ollama answers, but not at this address, which is that of its OpenAI API.",
            f"Leave out /v1: {url.removesuffix('/v1')}",
        )
    else:
        with suppress(InferenceError):
            await subject.backend_for(OpenAIBackend.api).list_models()
            return _wrong_api(subject, OpenAIBackend.api)
    if isinstance(error, StatusError):
        return failure(explain_status(error, model=subject.model, how_to_get=""))
    return failure(error)


def _wrong_api(subject: Subject, spoken: str) -> Finding:
    return Finding(
        Status.FAILED,
        f"What answers at {subject.endpoint.url} speaks {_NAMES[spoken]}, not {_NAMES[subject.backend.api]}.",
        f"Choose the API “{spoken}” on the settings page (or with STORYTELLER_INFERENCE_API).",
    )


async def _ollama_version(subject: Subject) -> str:
    """The version of the Ollama that answers, whichever API was chosen; empty where none does."""
    client: HttpClient = subject.client(subject.endpoint.url.removesuffix("/v1"))
    with suppress(InferenceError):
        return get_text(await client.call("/api/version"), "version")
    return ""


def _judge_ollama(version: str) -> Finding:
    numbers = tuple(int(part) for part in version.split("-")[0].split(".") if part.isdecimal())
    if numbers and numbers < _REFUSES_LONG_PROMPTS and any(numbers):
        return Finding(
            Status.WARNING,
            f"Ollama {version} answers. It cuts a prompt that is too long without a word.",
            f"Install Ollama {'.'.join(map(str, _REFUSES_LONG_PROMPTS))} or newer.",
        )
    return Finding(Status.OK, f"Ollama {version} answers.")


def _count(subject: Subject) -> str:
    count = len(subject.models)
    return "It lists one model." if count == 1 else f"It lists {count or 'no'} models."


def _work_of(roles: list[Role]) -> str:
    return " and ".join(_WORK[role] for role in roles)
