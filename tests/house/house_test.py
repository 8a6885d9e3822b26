"""The measures of the house hold, and each check catches a violation planted in a folder of its own."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import comment_shape  # noqa: E402
import cpp_classes  # noqa: E402
import house  # noqa: E402

ROOT = Path(__file__).parents[2]
LARGE = "".join(f"  int a{i}_ = 0;\n" for i in range(house.MAX_FIELDS + 1))


def measured(files, allowed=None):
    """What fails in a tree of these files, by check."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return {name: fails for name, _, _, fails, _ in house.measure(root, allowed or {})}


class House(unittest.TestCase):
    def caught(self, check, files, words, allowed=None):
        fails = measured(files, allowed)
        self.assertTrue(any(words in fail for fail in fails[check]), fails)

    def passes(self, files, allowed=None):
        self.assertEqual({name: fails for name, fails in measured(files, allowed).items() if fails}, {})

    def test_the_measures_hold(self):
        self.assertEqual([f"{name}: {fail}" for name, _, _, fails, _ in house.measure(ROOT) for fail in fails], [])

    def test_a_class_has_a_bounded_number_of_fields(self):
        self.caught("classes", {"topics/a.h": f"class A {{\n void f();\n{LARGE}}};\n"}, "topics/a.h has 21 fields")
        self.caught("classes", {"topics/a.cc": f"struct A {{\n private:\n{LARGE}}};\n"}, "21 fields and 0")
        self.passes({"topics/a.h": f"struct Row {{\n{LARGE}  void f();\n}};\n"})

    def test_a_class_has_a_bounded_number_of_functions(self):
        functions = "".join(f"  static int f{i}(int a = 0);\n" for i in range(house.MAX_FUNCTIONS + 1))
        self.caught("classes", {"topics/a.h": f"class A {{\n{functions}}};\n"}, "0 fields and 41 functions")
        self.caught("classes", {"topics/a.h": f"struct A {{\n{functions}}};\n"}, "0 fields and 41 functions")

    def test_a_folder_holds_a_bounded_number_of_files(self):
        many = range(house.MAX_FILES + 1)
        self.caught("folders", {f"state/rows/a{i}.h": "" for i in many}, "state/rows holds 25 files")
        self.passes({f"tests/state/a{i}.h": "" for i in many})

    def test_nouns_do_not_include_each_other(self):
        self.caught("cycles", {"topics/a.h": '#include "topics/b.h"', "topics/b.cc": '#include "topics/a.h"',
                               "topics/b.h": ""}, "topics/a, topics/b include each other")

    def test_a_source_implements_what_it_declares(self):
        self.caught("homes", {"topics/a.h": "class A { void f(); };", "topics/a_more.cc": "void A::f() {}"},
                    "topics/a_more.cc implements 1 functions of A")
        self.caught("homes", {"include/penstock/a.h": "class A { void f(); void g(); };",
                              "topics/a.cc": "void A::f() {}",
                              "topics/b.cc": "void A::g() {}"}, "topics/b.cc implements 1 functions of A")
        self.passes({"topics/a.h": "class A { class B; void f(); };",
                     "topics/a.cc": "class A::B { void g(); };\nvoid A::B::g() {}\nvoid A::f() {}",
                     "include/penstock/c.h": "namespace n { class C { void f(); }; }",
                     "topics/d.cc": "void n::C::f() {}"})

    def test_a_reference_leads_somewhere(self):
        self.caught("dangling references", {"topics/a.h": "// See topics/gone.h.\n"}, "topics/gone.h")
        self.caught("dangling references", {"topics/a.h": "// Written by the log (topics/gone).\n"}, "topics/gone")
        self.caught("dangling references", {"topics/a.h": "// See gone.h.\n"}, "gone.h")
        self.caught("dangling references", {"docs/a.md": "[more](gone.md)\n"}, "gone.md")
        self.caught("dangling references", {"docs/a.md": "# A\n[more](#gone)\n"}, "#gone")
        self.caught("dangling references", {"tests/CMakeLists.txt": "add(topics/gone.cc)", "tests/topics/a.cc": ""},
                    "topics/gone.cc")
        self.caught("dangling references", {"topics/a.py": '"""Rules (SPEC section\n3)."""\n'}, "SPEC section 3")
        self.caught("dangling references", {"topics/a.h": '// (docs/a.md, "Gone\n// too")\n',
                                            "docs/a.md": "# Here\n"}, 'docs/a.md, "Gone too"')
        self.passes({"topics/a.h": '// topics/b, b.h, docs/, penstock/c.h, read/write; docs/a.md, "Here"\n',
                     "topics/b.h": '// docs/a.md, "There"\n', "include/penstock/c.h": "",
                     "docs/a.md": "# Here\n**There.** See [it](a.md#here), `../topics/*.h`, "
                                  "https://x.org/topics/d.h.\n",
                     "tests/CMakeLists.txt": "add(topics/a.cc ${CMAKE_SOURCE_DIR}/topics/b.h)",
                     "tests/topics/a.cc": ""})

    def test_a_file_has_a_bounded_number_of_lines(self):
        self.caught("lengths", {"tests/a.py": "\n" * (house.MAX_LINES + 1)}, "tests/a.py has 501 lines")
        self.passes({"tests/a.py": "\n" * house.MAX_LINES})

    def test_comments_keep_their_lines(self):
        self.caught("folded comments", {"topics/a.h": "//  - an item that\n//  goes on\n"}, "topics/a.h: line 2")

    def test_mutants_are_counted_by_rule(self):
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / house.MUTANTS
            folder.mkdir(parents=True)
            table = '[m.one]\nrules = ["lost", "twice"]\n[[more]]\nby = "lost"\n'
            (folder / "a.toml").write_text(table, encoding="utf-8")
            lines, beyond = house.check_mutants(house.Tree(root))
            self.assertEqual([line.split() for line in lines],
                             [["2", "mutants", "caught", "by", "lost"], ["1", "mutants", "caught", "by", "twice"]])
            self.assertEqual(beyond, [])
            (folder / "run.py").write_text("import sys\nprint(sys.argv[1])\nsys.exit(2)\n", encoding="utf-8")
            lines, beyond = house.check_mutants(house.Tree(root))
            self.assertEqual((lines[-1], len(beyond)), ("--summary", 1))

    def test_what_is_allowed_only_shrinks(self):
        files = {"topics/a.cc": f"class A {{\n{LARGE}}};\n"}
        self.passes(files, {"classes": {"topics/a.cc: A": (21, 0)}})
        self.caught("classes", files, "may only shrink", {"classes": {"topics/a.cc: A": (20, 9)}})
        self.caught("classes", {"topics/a.cc": ""}, "remove it", {"classes": {"topics/a.cc: A": (21, 0)}})


class Classes(unittest.TestCase):
    def read(self, text):
        return {one.name: (one.fields, one.functions) for one in cpp_classes.read(text, "a.h").classes}

    def test_fields_are_told_from_functions(self):
        self.assertEqual(self.read("""
            namespace a::b {
            template <typename T, int N = (3 > 2)>
            class Big final : public Base<std::map<int, int>> {
             public:
              Big() : x_{1}, y_(2) {}
              ~Big() override = default;
              Big& operator=(const Big&) = delete;
              bool operator<(const Big& o) const { return x_ < o.x_; }
              explicit operator bool() const { return x_ > 0; }
              [[nodiscard]] std::function<void(int)> hook() const;
              template <typename F>
              void each(F&& f) const {
                for (int i = 0; i < 3; ++i) f(i);  // not a field;
              }
              virtual void pure(std::string a = "x;{") = 0;
              enum class E : int { kA, kB };
              struct Fwd;
              using X = int;
              friend class Y;
              static constexpr int kN = 3;
             private:
              int x_ = 0, y_{};
              std::function<void(int, int)> f_;
              std::array<char, kN> a_{};
              bool (*p_)(int) = nullptr;
              struct { int q; } anonymous_;
              int array_[3] = {1, 2, 3};
              std::function<void()> lambda_ = [this] { each(1); };
            };
            }"""), {"Big": (["x_", "y_", "f_", "a_", "p_", "anonymous_", "array_", "lambda_"],
                            ["hook", "each", "pure"]),
                    "Big::": (["q"], [])})

    def test_nested_types_count_for_themselves(self):
        self.assertEqual(self.read("class A {\n struct B { int x; void f(); };\n B b_;\n};\nclass A::C { int y_; };"),
                         {"A": (["b_"], []), "A::B": (["x"], ["f"]), "A::C": (["y_"], [])})

    def test_definitions_name_their_class(self):
        read = cpp_classes.read("namespace n {\nint A::f() { return 1'000; }\nA::A() : a_(1) {}\nB A::g();\n"
                                "Result<std::vector<int>> A::B::h() const {\n  return {};\n}\n"
                                "A::~A() = default;\n}", "a.cc")
        self.assertEqual(read.definitions, [("A", "f"), ("A", "A"), ("A::B", "h"), ("A", "~A")])


class CommentShape(unittest.TestCase):
    def lines(self, text):
        return [number for number, _ in comment_shape.folded(text)]

    def test_well_shaped_comments_pass(self):
        self.assertEqual(self.lines("""
// Rows := of nothing else; a tag is V - (k - 1), and so on - as one says.
//
//   key        := 'a' name            a rule
//               | 'b' number | 'c'    an alternative
//   long key   := one                 other := in a column of its own
//   key, name are varints
//
//  - an item
//    that goes on;
//  - another.
// A paragraph.
"""), [])

    def test_folded_ones_are_found(self):
        self.assertEqual(self.lines("//   key := 'a' name b := 'c'\n"), [1])
        self.assertEqual(self.lines("//   what was said of the former before key := 'a'\n"), [1])
        self.assertEqual(self.lines("//   key := 'a'\n//        | 'b'\n//        lies | 'c'  name\n"), [3])
        self.assertEqual(self.lines("//  - an item\n//  goes on\n//    here\n"), [2])
        self.assertEqual(self.lines("//  - an item; - another\n"), [1])
        row = "//   key := " + "x" * 85
        self.assertEqual(self.lines(row + "\n//   and more\n"), [2])
        self.assertEqual(self.lines(row + "\n//          and more\n"), [])


if __name__ == "__main__":
    unittest.main()
