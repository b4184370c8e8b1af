"""Long work that resumes: a plan of many items, done by one worker or many, free of pictures.

A run draws and judges pictures (``truehue.core.runs``), a diagnosis judges tasks
(``truehue.core.diagnosis``); what both are, and what the next kind will be, is here. This package
knows errors, files and the machine, and nothing else of ours: ``tests/test_imports.py`` holds that.

**The parts.** A *work* has ``total`` items, counted by *position*. A *doer* does one of them::

    Work(folder).total, .schema(), .order(), .open(context) -> Doer
    Doer.do(position, attempt) -> row
    Work.failure_row(position, attempt, reason) -> row

``execute(work, Crew(workers=4))`` (``truehue.core.batch.execute``) gives batches of positions to a
team of workers, processes of this machine or actors of Ray; each opens a doer of its own, and
writes each row into its own journal before it begins the next item. It returns a ``BatchState``,
and tells one to its ``watch`` about twice a second.

**A new kind of long work** takes a module like ``tests/core/batch/squares.py``:

1. A folder: ``BatchFolder(path).begin({"total": n, ...}, {"questions.jsonl": bytes})`` writes
   ``plan.json``, last of all, and the files beside it. Put into the plan all that decides the
   results, and name the folder by its SHA-256: then equal plans are one folder. A subclass has
   ``words`` (what people call the work and its items in messages) and, where workers write files
   of their own, ``written_folders``; files that the plan needs are its ``plan_files``, and
   ``check_files`` looks at them.
2. A ``Work`` at module level, small enough to be pickled: ``schema()`` is ``schema_with`` of your
   columns; ``check()`` refuses a folder that other rules or weights began; ``order()`` puts items
   beside each other that share what is dear (it may leave positions out: those are not done now);
   ``needs_device()`` asks Ray for a GPU.
3. A ``Doer``, opened in the worker's process: load models at the first ``do``, not before. Return a
   plain row: the four columns of every result (``position``, ``attempt``, ``status``, ``reason``)
   and your own. Raise ``ItemFailed`` with a sentence for an item without a result (any other
   exception becomes one), ``CannotWork`` where no item could have one, such as for weights that
   are missing: the work pauses and says so. An item that takes long calls ``context.step()`` now
   and then, or passes ``context.stop`` to what can be broken off, and lets ``Stopped`` through.
   Same position, same row, whatever worker does it: seed by the position. A doer that does several
   at once (a server asked over several connections, a batch on a GPU) has ``expect`` too, and its
   work says in ``at_once`` how many a batch has at least.
4. Files beside the rows, such as pictures, are written before the row that names them, named by
   what is in them, with ``truehue.core.files.write_once``.
5. Rows come back by ``truehue.core.batch.results.tables``: the latest attempt of each item, by
   position.
6. Test it with the team of ``tests/core/batch/here.py``, in the test's own process, and look at
   ``tests/core/batch/test_squares.py`` for what needs no test again.

To score the pictures of a run, let the plan name the run's folder and its columns' versions, take
``total`` and the positions from the run, and read ``image_id`` by ``truehue.core.batch.results``;
pictures lie at ``truehue.core.files.content_path(run.images, image_id)``. For a benchmark of questions, an
item is a question, the prompt and the answer are columns, and what was read of the answer is
another one.

**What lies in a folder.**

- ``plan.json``: ``format`` (1), ``total``, and what the kind of work says of itself.
- ``journal/<worker>-<n>.jsonl``: a line a row, as it is done; workers are ``s<session>w<n>``.
- ``shards/<worker>-<n>.parquet``: sealed journals, at 500 rows or after 30 seconds; never changed.
- ``state.json``: how far it is, for whoever looks; it is counted anew where it is lost.
- ``wish.json``: ``run``, ``pause`` or ``cancel``, as people want it; workers look between steps.
- ``lock``, ``workers.lock``: held by who executes it, and by each worker; ``session``: counts those
  who did.
- ``damaged/``, ``left-out.jsonl``: shards that could not be read, lines that were not of the work.

**What is promised after SIGKILL**, of any process at any moment: a row that was written down
counts, and is never done again; at most the item in each worker's hands is, or those that it does
at once. A file has its name only when it is whole. Workers end with who executes them, locks end
with their process, and whoever calls ``execute`` next seals what was left and goes on, on another
machine too if it sees the folder. An item at which two processes died is a failure, with how they
ended, and the work goes on. After a power cut, rows of the last second may be done again. A full
disk pauses the work with a sentence, and is no item's failure. Of one attempt written twice, the
first counts; of several attempts the latest. Rows are equal for any number of workers, but for what
is measured of the work itself, such as seconds.
"""
