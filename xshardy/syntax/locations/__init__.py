"""
The locations of operations and block arguments: read from text, printed, and named in messages.

An operation keeps its location in xDSL's slot, `op.location`. What the parser puts there is a `TextLocation`, which is
read when `location_of` or a printer asks for it. `docs/locations.md` shows what they are for.
"""

from xshardy.syntax.locations.names import file_and_line as file_and_line
from xshardy.syntax.locations.names import given_name as given_name
from xshardy.syntax.locations.names import innermost_place as innermost_place
from xshardy.syntax.locations.names import operation_name as operation_name
from xshardy.syntax.locations.names import places as places
from xshardy.syntax.locations.names import users_place as users_place
from xshardy.syntax.locations.text import TextLocation as TextLocation
from xshardy.syntax.locations.text import another_location as another_location
from xshardy.syntax.locations.text import location_of as location_of
from xshardy.syntax.locations.text import resolved as resolved
from xshardy.syntax.locations.text import without_locations as without_locations
from xshardy.syntax.locations.values import FileRangeLoc as FileRangeLoc
