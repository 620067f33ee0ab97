"""Runs Python programs, each in a fork of this process, which has imported the client once: an interpreter's start costs
more than most programs. A line of standard input is a program in JSON, a line of standard output is how it ended."""
import asyncio, fcntl, inspect, io, json, os, pathlib, signal, sys, tempfile, threading, traceback, urllib.request
import media_generation_client


def become(job, files):
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, file in enumerate(files, 1):
        os.dup2(file.fileno(), number)
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    names = {"__name__": "__main__"}
    sys.modules["__main__"].__dict__.update(names)
    exec(compile(job["program"], "<program>", "exec"), names)


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if os.fork():
        continue
    # One process for each program waits for its end.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    job, files = json.loads(line), (tempfile.TemporaryFile(), tempfile.TemporaryFile())
    child = os.fork()
    if not child:
        become(job, files)
        break
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for file in files:
        file.seek(0)
    with open(__file__) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        print(json.dumps([job["id"], code, *(file.read().decode() for file in files)]), flush=True)
    os._exit(0)
