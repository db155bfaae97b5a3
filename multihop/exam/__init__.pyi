from .making import Exam as Exam
from .making import make_exam as make_exam
