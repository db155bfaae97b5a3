from .folders import is_study as is_study
from .page import write_run_page as write_run_page
from .page import write_study_page as write_study_page
