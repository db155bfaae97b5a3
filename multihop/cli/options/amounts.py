"""The numbers that options take, each with its range."""

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

AtLeastOne = Annotated[int, Parameter(validator=Number(gte=1))]
AtMost = Annotated[int | None, Parameter(validator=Number(gte=1))]
Proportion = Annotated[float, Parameter(validator=Number(gte=0, lte=1))]
BudgetCount = Annotated[int | None, Parameter(validator=Number(gte=0))]
BudgetDollars = Annotated[float | None, Parameter(validator=Number(gt=0))]
BudgetSeconds = Annotated[float | None, Parameter(validator=Number(gte=0))]
