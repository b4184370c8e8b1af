"""Long work that resumes: a plan of many items, done by one or many workers.

A run generates and scores images (``truehue.core.runs``); a diagnosis scores tasks
(``truehue.core.diagnosis``). This package is their common part, and that of any new kind of work.
It imports errors, files and the machine, and nothing else of ours: ``tests/test_imports.py`` checks
that.

**The parts.** A *work* has ``total`` items, numbered by *position*. A *doer* does one of them::

    Work(folder).total, .schema(), .order(), .open(context) -> Doer
    Doer.do(position, attempt) -> row
    Work.failure_row(position, attempt, reason) -> row

``execute(work, Crew(workers=4))`` (``truehue.core.batch.execute``) gives batches of positions to a
team of workers: processes of this machine or actors of Ray. Each worker opens its own doer and
writes each row into its own journal before it begins the next item. ``execute`` returns a
``BatchState``, and passes one to its ``watch`` about twice a second.

**A new kind of long work** needs a module like ``tests/core/batch/squares.py``:

1. A folder: ``BatchFolder(path).begin({"total": n, ...}, {"questions.jsonl": bytes})`` writes the
   given files and, last, ``plan.json``. Put all settings that decide the results into the plan, and
   name the folder by its SHA-256: then equal plans share one folder. A subclass has ``words`` (the
   names of the work and its items in messages) and, if workers write files of their own,
   ``written_folders``; files that the plan needs are its ``plan_files``, and ``check_files`` checks
   them.
2. A ``Work`` at module level, small enough to be pickled: ``schema()`` is ``schema_with`` of your
   columns; ``check()`` refuses a folder begun with other rules or weights; ``order()`` groups items
   that share an expensive resource (it may omit positions: those are not done now);
   ``needs_device()`` requests a GPU from Ray.
3. A ``Doer``, opened in the worker's process. Load models at the first ``do``, not before. Return a
   plain row: the four columns of every result (``position``, ``attempt``, ``status``, ``reason``)
   and your own. Raise ``ItemFailed`` with a sentence for an item without a result (any other
   exception becomes one). Raise ``CannotWork`` if no item could have a result, for example because
   weights are missing: the work pauses and shows the reason. A long item calls ``context.step()``
   now and then, or passes ``context.stop`` to a call that can be interrupted, and does not catch
   ``Stopped``. The row must depend on the position alone, not on the worker: seed by the position.
   A doer that does several items at once (several connections to a server, a batch on a GPU) also
   has ``expect``, and its work states in ``at_once`` the minimum size of a batch, or in ``group``
   which items one worker does together.
4. Files beside the rows, such as images, are named by their contents and written before the row
   that names them, with ``truehue.core.files.write_once``.
5. ``truehue.core.batch.results.tables`` reads the rows: the latest attempt of each item, by
   position.
6. Test it with the team of ``tests/core/batch/here.py``, in the test's own process.
   ``tests/core/batch/test_squares.py`` shows what is already tested.

To score the images of a run, let the plan name the run's folder and its columns' versions, take
``total`` and the positions from the run, and read ``image_id`` by ``truehue.core.batch.results``;
images lie at ``truehue.core.files.content_path(run.images, image_id)``. In a benchmark of questions, an
item is a question; the prompt, the answer and the parsed answer are columns.

**Files of a folder.**

- ``plan.json``: ``format`` (1), ``total``, and the settings of the kind of work.
- ``journal/<worker>-<n>.jsonl``: one line per finished row; workers are ``s<session>w<n>``.
- ``shards/<worker>-<n>.parquet``: sealed journals, at 500 rows or after 30 seconds; never changed.
- ``state.json``: the progress, for readers; recounted if the file is lost.
- ``wish.json``: ``run``, ``pause`` or ``cancel``, as users request; workers read it between steps.
- ``lock``, ``workers.lock``: held by the executing process, and by each worker; ``session``: the
  number of executions.
- ``damaged/``, ``left-out.jsonl``: unreadable shards, and lines that do not belong to the work.

**Guarantees after SIGKILL**, of any process at any moment: a written row counts and is never done
again; at most the items in progress are repeated. A file gets its name only when it is complete.
Workers end with the executing process, and locks end with their process. The next call of
``execute`` seals the remaining journals and continues, on another machine too if it sees the
folder. If two processes died at an item, the item is a failure with the causes of death, and the
work continues. After a power cut, rows of the last second may be repeated. A full disk pauses the
work with a message and is no item's failure. If one attempt is written twice, the first row counts;
of several attempts, the latest. Rows are equal for any number of workers, except for measurements
of the work itself, such as seconds.
"""
