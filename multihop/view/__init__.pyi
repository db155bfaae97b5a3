from .folders import is_study as is_study
from .folders import is_sweep as is_sweep
from .page import write_run_page as write_run_page
from .page import write_study_page as write_study_page
from .page import write_sweep_page as write_sweep_page
