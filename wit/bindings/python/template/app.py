"""The component: every tool of this project, named once. What is imported here is imported when it is built."""

from fumehood_tool.component import component
from tool import FindLines

Tool = component(FindLines())
