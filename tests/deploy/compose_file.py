"""docker-compose.yml and deploy/Dockerfile as data."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"
DOCKERFILE = ROOT / "deploy" / "Dockerfile"


def services():
    return document()["services"]


def document():
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))


def instructions():
    """The Dockerfile's, as (instruction, rest), with continued lines joined."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


def stages():
    return {re.search(r" AS (\S+)$", rest)[1] for name, rest in instructions() if name == "FROM"}


def make_targets():
    """What the Dockerfile asks of make."""
    return [match[1] for name, rest in instructions() if name == "RUN" for match in [re.fullmatch(r"make (\S+)", rest)] if match]


def broker_properties(environment):
    """server.properties as the image of Apache Kafka makes them: KAFKA_NODE_ID is node.id."""
    return {name[len("KAFKA_"):].lower().replace("_", "."): value
            for name, value in environment.items() if name.startswith("KAFKA_")}
