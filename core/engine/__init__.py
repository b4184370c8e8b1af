"""The queue for the device: jobs in order, models in memory, progress, cancel.

::

    engine = Engine(open_model, memory_wanted)
    job_id = engine.submit(requests, keep)  # keep(delivery) is called as results come
    engine.state(job_id).eta_s
    engine.call(tool_id, lambda tool: tool.ask(srgb8, names)).result()  # answered between steps
    engine.close()
"""

from truehue.core.engine.engine import Engine
from truehue.core.engine.limits import checked
from truehue.core.engine.records import CallState, Delivery, JobState, Problem

__all__ = ["CallState", "Delivery", "Engine", "JobState", "Problem", "checked"]
