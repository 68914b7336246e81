@_exported import Cormorant
