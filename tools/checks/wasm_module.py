"""Reads what a WebAssembly module imports and exports."""

MAGIC = b"\0asm\x01\0\0\0"
IMPORTS, EXPORTS = 2, 7
FUNCTION, TABLE, MEMORY, GLOBAL = range(4)


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, length):
        self.at += length
        return self.data[self.at - length:self.at]

    def name(self):
        return self.take(self.number()).decode()

    def limits(self):
        has_maximum = self.byte() & 1
        self.number()
        if has_maximum:
            self.number()


def sections(data):
    """The contents of each section, by its id. ValueError when this is no module."""
    if not data.startswith(MAGIC):
        raise ValueError("not a WebAssembly module")
    reader, found = Reader(data), {}
    reader.take(len(MAGIC))
    while reader.at < len(data):
        kind = reader.byte()
        found[kind] = reader.take(reader.number())
    return found


def imports(data):
    """The names a module needs from outside, as module.name."""
    reader = Reader(sections(data).get(IMPORTS, b"\0"))
    names = []
    for _ in range(reader.number()):
        names.append(f"{reader.name()}.{reader.name()}")
        kind = reader.byte()
        if kind == FUNCTION:
            reader.number()
        elif kind == TABLE:
            reader.byte()
            reader.limits()
        elif kind == MEMORY:
            reader.limits()
        elif kind == GLOBAL:
            reader.take(2)
    return names


def exports(data):
    reader = Reader(sections(data).get(EXPORTS, b"\0"))
    names = []
    for _ in range(reader.number()):
        names.append(reader.name())
        reader.byte()
        reader.number()
    return names
