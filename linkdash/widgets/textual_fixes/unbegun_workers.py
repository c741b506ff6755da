"""A worker that is cancelled before it began leaves its coroutine behind, of which Python then warns."""

from inspect import iscoroutine

from textual.worker import Worker
from textual.worker_manager import WorkerManager


class Workers(WorkerManager):
    """Workers of which each takes its coroutine along when it ends."""

    def _remove_worker(self, worker: Worker[object]) -> None:
        super()._remove_worker(worker)
        if iscoroutine(worker._work):
            worker._work.close()  # nothing is done where it has run
