"""The component: one tool."""

# Counter.most_common imports it when it is called. By then there are no files to import from: a component holds what was
# imported when it was built.
import heapq as heapq

from fumehood_tool.component import component
from tool import TableStats

Tool = component(TableStats())
