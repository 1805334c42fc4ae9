"""The servers that are compared: each started on a free port of loopback, on one core, in a folder of its own."""

import contextlib
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import time
import urllib.request

# The server has one core for itself, the load generator the other.
SERVER_CORES, LOAD_CORES = {0}, {1}
BOTH_CORES = SERVER_CORES | LOAD_CORES
# Below those that the system hands out: the many connections of a load must not take one before its server does.
PORTS = range(15_000, 32_000)
HERE = pathlib.Path(__file__).resolve().parent


class SubjectError(Exception):
    pass


def free_port():
    while True:
        port = random.choice(PORTS)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def cpu_seconds(pid):
    """Of a process and the children it has now: nginx works in one."""
    return sum(map(own_cpu_seconds, [pid, *children_of(pid)]))


def own_cpu_seconds(pid):
    """By the process's own clock: /proc counts in hundredths of a second. See clock_getcpuclockid(3)."""
    return time.clock_gettime_ns(~pid << 3 | 2) / 1e9


def children_of(pid):
    found = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in path.read_text().split()]
    return found


def accepts(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(port, process, name):
    end = time.monotonic() + 10
    while not accepts(port):
        if process.poll() is not None or time.monotonic() > end:
            raise SubjectError(f"{name} does not listen on port {port}")
        time.sleep(0.002)


@contextlib.contextmanager
def running(name, command, port, cores=None, folder="."):
    """Yields the process once it takes connections; stops it in the end."""
    with open(pathlib.Path(folder) / f"{name}.log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                                   preexec_fn=lambda: os.sched_setaffinity(0, cores or SERVER_CORES))
        try:
            wait_for(port, process, name)
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)


@contextlib.contextmanager
def stopped(process):
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def bare_loop(programs):
    process = subprocess.Popen([f"{programs}/bare_loop"], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, SERVER_CORES))
    try:
        yield process, int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(10)


@contextlib.contextmanager
def redis(folder):
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with running("redis", command, port, folder=folder) as process:
        yield process, port


NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx_error.log; worker_processes 1;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 1000000000; default_type text/plain;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok"; }} }}
}}
"""


@contextlib.contextmanager
def nginx(folder):
    port = free_port()
    config = pathlib.Path(folder) / "nginx.conf"
    config.write_text(NGINX.format(folder=folder, port=port))
    with running("nginx", ["/usr/sbin/nginx", "-p", str(folder), "-c", str(config)], port, folder=folder) as process:
        yield process, port


@contextlib.contextmanager
def sluice(programs, folder, loops=1, rules=None, more=(), cores=None):
    """Yields the process and its ports by door."""
    ports = {"http": free_port(), "resp": free_port(), "admin": free_port()}
    command = [str(pathlib.Path(programs) / "sluice"), "serve", "--loops", str(loops), "--data-dir", str(folder)]
    for door, port in ports.items():
        command += [f"--{door}", f"127.0.0.1:{port}"]
    if rules:
        command += ["--rules", str(rules)]
    command += more
    cores = cores or (SERVER_CORES if loops == 1 else BOTH_CORES)
    with running("sluice", command, ports["resp"], cores, folder) as process:
        yield process, ports


def metric(port, name):
    """What the admin door tells under that name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as response:
        for line in response.read().decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.rpartition(" ")[2])
    raise SubjectError(f"sluice tells no {name}")


def wait_for_metric(process, port, name, at_least):
    """Until the admin door is open too: the other doors open before that."""
    wait_for(port, process, "sluice")
    end = time.monotonic() + 10
    while metric(port, name) < at_least:
        if time.monotonic() > end:
            raise SubjectError(f"{name} of sluice does not become {at_least}")
        time.sleep(0.01)


def seconds_to_ready(programs, folder, rules):
    """From the start of the process to the first answer."""
    start = time.monotonic()
    with sluice(programs, folder, rules=rules) as (_, ports):
        with socket.create_connection(("127.0.0.1", ports["resp"]), timeout=5) as client:
            client.sendall(b"PING\r\n")
            if not re.match(rb"\+PONG", client.recv(100)):
                raise SubjectError("sluice does not answer PING")
        return time.monotonic() - start
