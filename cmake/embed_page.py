"""Prints the C++ source that defines page_files() (api/page/page_files.h) from a folder of built files."""
import gzip
import hashlib
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


def literal(content: bytes) -> str:
    """An array of bytes: string literals have a maximum length in some compilers."""
    lines = [", ".join(str(byte) for byte in content[at:at + 32]) for at in range(0, len(content), 32)]
    return "{" + ",\n".join(lines) + "}"


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    entries = []
    print('#include "api/page/page_files.h"\n\n#include <array>\n\nnamespace penstock {\nnamespace {\n')
    for number, path in enumerate(sorted(p for p in folder.rglob("*") if p.is_file())):
        plain = path.read_bytes()
        # Without a time, so that the same page gives the same program.
        packed = gzip.compress(plain, 9, mtime=0)
        for name, content in (("kPlain", plain), ("kGzipped", packed)):
            print(f"constexpr unsigned char {name}{number}[] = {literal(content)};")
        name = path.relative_to(folder).as_posix()
        url = "/" if name == "index.html" else "/" + name
        tag = hashlib.sha256(plain).hexdigest()[:16]
        entries.append(f'  {{"{url}", "{TYPES[path.suffix]}", "{tag}", text(kPlain{number}), text(kGzipped{number})}},')
    print("\ntemplate <std::size_t N>\nstd::string_view text(const unsigned char (&bytes)[N]) {\n"
          "  return {reinterpret_cast<const char*>(bytes), N};\n}\n\n}  // namespace\n")
    print("std::span<const PageFile> page_files() {\n  static const std::array kFiles = std::to_array<PageFile>({")
    print("\n".join(entries))
    print("  });\n  return kFiles;\n}\n\n}  // namespace penstock")


if __name__ == "__main__":
    main()
