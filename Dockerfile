# npu-migrate in a container. See docs/install.md.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY build_backend build_backend
COPY npu_migrate npu_migrate
RUN python -m venv /opt/npu-migrate && /opt/npu-migrate/bin/pip install --no-cache-dir ".[lsp]"

FROM python:3.13-slim
# Git is for `--changed-since`.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/npu-migrate /opt/npu-migrate
# The container may run as any user, who then has no folder of his own.
ENV PATH=/opt/npu-migrate/bin:$PATH HOME=/tmp
USER 1000:1000
WORKDIR /project
ENTRYPOINT ["npu-migrate"]
