# `multihop serve` in a container of its own: docs/guide/application.md.
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/multihop
RUN /opt/multihop/bin/python -m pip install --no-cache-dir -c constraints.txt ".[serve]"
RUN /opt/multihop/bin/python -m pip uninstall --quiet -y pip

FROM python:3.12-slim
LABEL org.opencontainers.image.title="multihop" org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --system --uid 10001 --home-dir /var/lib/multihop --create-home multihop
COPY --from=build /opt/multihop /opt/multihop
# All that is written lies in the home folder: indexes, the LMs' cache.
ENV PATH=/opt/multihop/bin:$PATH HOME=/var/lib/multihop PYTHONUNBUFFERED=1
USER 10001
WORKDIR /var/lib/multihop
VOLUME /var/lib/multihop
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["python", "-c", "from http.client import HTTPConnection as Client; client = Client('127.0.0.1', 8000, timeout=4); client.request('GET', '/healthz'); raise SystemExit(client.getresponse().status != 200)"]
ENTRYPOINT ["multihop"]
CMD ["serve", "one-step", "--host", "0.0.0.0"]
