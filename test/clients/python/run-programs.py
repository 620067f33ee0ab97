"""Runs Python programs, each in a fork of this process, which has imported the client once: an interpreter's start costs
more than most programs. A line of standard input is a program in JSON, a line of standard output is how it ended."""
import asyncio, inspect, io, json, os, pathlib, selectors, sys, tempfile, threading, traceback, urllib.request
import media_generation_client

selector = selectors.DefaultSelector()
selector.register(0, selectors.EVENT_READ)
unread = b""


def start(job):
    """Returns false in the child, which then ends as any program does."""
    files = (tempfile.TemporaryFile(), tempfile.TemporaryFile())
    ended, held = os.pipe()
    child = os.fork()
    if child:
        os.close(held)
        selector.register(ended, selectors.EVENT_READ, (job["id"], child, files))
        return True
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, file in enumerate(files, 1):
        os.dup2(file.fileno(), number)
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    sys.argv = ["-c", *job["args"]]
    names = {"__name__": "__main__"}
    sys.modules["__main__"].__dict__.update(names)
    exec(compile(job["program"], "<program>", "exec"), names)
    return False


def report(ended, job, child, files):
    selector.unregister(ended)
    os.close(ended)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    texts = []
    for file in files:
        file.seek(0)
        texts.append(file.read().decode())
    print(json.dumps([job, code, *texts]), flush=True)


def serve():
    global unread
    while True:
        for key, _ in selector.select():
            if key.data:
                report(key.fd, *key.data)
                continue
            received = os.read(0, 1 << 20)
            if not received:
                return
            *lines, unread = (unread + received).split(b"\n")
            for line in lines:
                if not start(json.loads(line)):
                    return


serve()
