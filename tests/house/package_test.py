"""The CMake package: installed into an empty folder, it lets a project that knows nothing else build and start.

    package_test.py BUILD-FOLDER LIBRARY...     the libraries (producer, worker) that the package must have
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, LIBRARIES = sys.argv[1], sys.argv[2:]
USER = Path(__file__).parent / "package"


class Package(unittest.TestCase):
    def succeeds(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")

    def test_a_project_builds_and_starts_with_the_installed_package_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix, build = f"{folder}/prefix", f"{folder}/build"
            self.succeeds("cmake", "--install", BUILD, "--prefix", prefix)
            self.succeeds("cmake", "-S", str(USER), "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
            self.succeeds("cmake", "--build", build)
            for library in LIBRARIES:
                self.succeeds(f"{build}/uses_{library}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
