from fumehood_tool.component import component
from gallery import Gallery
from probe import Probe

Tool = component(Gallery(), Probe())
