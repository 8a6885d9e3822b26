#include "tests/topics/record/job_documents.h"

#include <utility>

namespace penstock {
namespace {

using Documents = std::vector<JobDocument>;

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string with_member(const std::string& member) { return R"({"type":"t",)" + member + "}"; }

void add_good(Documents& to, std::string name, std::string text) {
  to.push_back({std::move(name), std::move(text), "good", ""});
}

void add_bad_json(Documents& to, std::string name, std::string text) {
  to.push_back({std::move(name), std::move(text), "bad_json", ""});
}

void add_bad_field(Documents& to, std::string member, std::string text) {
  to.push_back({"breaks the rule of " + member, std::move(text), "bad_field", member});
}

void add_good_jobs(Documents& to) {
  add_good(to, "the least", R"({"type":"t"})");
  add_good(to, "everything",
           R"({"op":"enqueue","type":"webhook.send","id":"a/1","args":{"n":7},"run_at":)"
           R"("2026-03-01T12:00:00Z","expires_at":1772366400000,"priority":-1000,"weight":100,)"
           R"("bulk":{"id":"b","index":0,"size":2,"on_done":{"type":"t.done","args":{"x":[]}}},)"
           R"("unique_key":"","meta":{"trace":[1,2]}})");
  add_good(to, "white space everywhere", " \t\r\n{ \"type\" :\n\"t\" , \"args\" : [ 1 , 2 ] } \n");
  add_good(to, "a type of every letter", R"({"type":"AZaz09._:-"})");
  add_good(to, "the longest type", R"({"type":")" + repeated("a", 128) + "\"}");
  add_good(to, "the longest id", with_member(R"("id":")" + repeated("i", 128) + "\""));
  add_good(to, "the longest id in characters of 2 bytes",
           with_member(R"("id":")" + repeated("é", 64) + "\""));
  add_good(to, "an id with escapes", with_member(R"("id":"a\u00e9\ud83d\ude00\n\"\\\/\b\f\r\t")"));
  add_good(to, "an id with a zero", with_member(R"("id":"\u0000")"));
  add_good(to, "a member's name in escapes", R"({"\u0074ype":"t","\u0061rgs":1})");
  add_good(to, "an empty object", with_member(R"("meta":{})"));
  for (const char* args : {"null",
                           "true",
                           "false",
                           "0",
                           "-0",
                           "-1.5e-10",
                           "1E+2",
                           "\"\"",
                           "\"x\"",
                           "[]",
                           "{}",
                           "[[],{},[{}]]",
                           "{\"\":1}",
                           "18446744073709551616",
                           "-9223372036854775809",
                           "123456789012345678901234567890123456789012345678901234567890",
                           "1e308",
                           "1e-400",
                           "0e999999999999",
                           "0.0000e400",
                           "2.2250738585072011e-308",
                           "1.7976931348623157e308",
                           "1e-99999999999999999999",
                           "\"\xEF\xBF\xBF\"",
                           "\"\x7F\"",
                           "\"\xC2\x80\"",
                           "\"\xF4\x8F\xBF\xBF\"",
                           "{\"a\":1,\"A\":1}",
                           "[\"a\",\"a\"]",
                           "{\"a\":{\"a\":{\"a\":1}}}",
                           "\"\\u2028\xE2\x80\xA8\"",
                           "\"\\ud83d\\ude00\"",
                           "\"\\\\ud800\""}) {
    add_good(to, std::string("args of ") + args, with_member(std::string("\"args\":") + args));
  }
  add_good(to, "a number of 400 digits after the point",
           with_member("\"args\":0." + repeated("1", 400)));
  add_good(to, "a number of 309 digits", with_member("\"args\":1" + repeated("0", 308)));
  add_good(to, "as deep as can be",
           with_member("\"args\":" + repeated("[", 63) + repeated("]", 63)));
  add_good(to, "objects as deep as can be",
           with_member("\"args\":" + repeated("{\"a\":", 62) + "{}" + repeated("}", 62)));
}

void add_good_times(Documents& to) {
  for (const char* time : {"0",
                           "-1",
                           "1772366400000",
                           "253402300799999",
                           "-62167219200000",
                           "-0",
                           "\"1970-01-01T00:00:00Z\"",
                           "\"2026-03-01t12:00:00z\"",
                           "\"2026-03-01T12:00:00.1Z\"",
                           "\"2026-03-01T12:00:00.123456789012345678901234567890Z\"",
                           "\"2026-03-01T12:00:00+01:00\"",
                           "\"2026-03-01T12:00:00-23:59\"",
                           "\"2026-03-01T12:00:00-00:00\"",
                           "\"2024-02-29T00:00:00Z\"",
                           "\"2000-02-29T00:00:00Z\"",
                           "\"2016-12-31T23:59:60Z\"",
                           "\"2016-12-31T23:59:60.5Z\"",
                           "\"2017-01-01T00:59:60+01:00\"",
                           "\"0000-01-01T00:00:00Z\"",
                           "\"9999-12-31T23:59:59.999Z\"",
                           "\"2026-03-01T12\\u003a00:00Z\""}) {
    add_good(to, std::string("run_at of ") + time, with_member(std::string("\"run_at\":") + time));
  }
}

void add_good_commands(Documents& to) {
  add_good(to, "cancel", R"({"op":"cancel","id":"a"})");
  add_good(to, "cancel with a type", R"({"op":"cancel","id":"a","type":"t"})");
  add_good(to, "retry", R"({"op":"retry","id":"a"})");
  add_good(to, "reschedule", R"({"op":"reschedule","id":"a","run_at":0})");
  add_good(to, "delete", R"({"op":"delete","id":"a"})");
  add_good(to, "a command that names a derived id",
           R"({"op":"cancel","id":")" + repeated("d", 255) + "\"}");
}

void add_bad_texts(Documents& to) {
  for (const char* text : {"",
                           " ",
                           "\n",
                           "{",
                           "}",
                           "[",
                           "]",
                           "\"",
                           "nul",
                           "null",
                           "true",
                           "7",
                           "\"type\"",
                           "[]",
                           "[{\"type\":\"t\"}]",
                           "{\"type\"}",
                           "{\"type\":}",
                           "{\"type\":\"t\"",
                           "{\"type\":\"t",
                           "{\"type\":\"t\",}",
                           "{,\"type\":\"t\"}",
                           "{\"type\":\"t\"}}",
                           "{\"type\":\"t\"}{}",
                           "{\"type\":\"t\"} x",
                           "{\"type\":\"t\"},",
                           "{type:\"t\"}",
                           "{'type':'t'}",
                           "{\"type\" \"t\"}",
                           "{\"type\":\"t\" \"id\":\"a\"}",
                           "{\"type\"::\"t\"}",
                           "{\"type\":\"t\",,\"id\":\"a\"}",
                           "{1:2}",
                           "{\"type\":\"t\"/**/}",
                           "// x\n{\"type\":\"t\"}",
                           "\xEF\xBB\xBF{\"type\":\"t\"}",
                           "{\"type\":\"t\",\"type\":\"t\"}",
                           "{\"type\":\"t\",\"\\u0074ype\":\"t\"}",
                           "{\"type\":\"t\"\x0c}",
                           "{\"type\":\"t\"\x0c\"id\":\"a\"}",
                           "{\"type\"\x1a\"t\"}",
                           "{\"type\":\"t\"]",
                           "{\"type\":[\"t\"}",
                           "{\"type\":\"t\xC2\xA0\"}\xC2\xA0"}) {
    add_bad_json(to, std::string("the text ") + text, text);
  }
  add_bad_json(to, "a zero after the end", std::string("{\"type\":\"t\"}\0", 13));
  add_bad_json(to, "a zero and more", std::string("{\"type\":\"t\"}\0}", 14));
  add_bad_json(to, "a zero for a space", std::string("{\0\"type\":\"t\"}", 13));
  add_bad_json(to, "a raw zero in a string", std::string("{\"type\":\"t\0\"}", 13));
}

void add_bad_values(Documents& to) {
  for (const char* args :
       {"",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "-.5",
        "1e",
        "1e+",
        "1.e1",
        "0x10",
        "1_0",
        "--1",
        "1-",
        "1 2",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "1e400",
        "-1e400",
        "1e99999999999999999999",
        "17976931348623157e400",
        "True",
        "tru",
        "truE",
        "truex",
        "true1",
        "nulll",
        "fals",
        "true\"\"",
        "1\"a\"",
        "\"a\"1",
        "\"a\"\"b\"",
        "\"a\"b",
        "\"\t\"",
        "\"\n\"",
        "\"\x1f\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\U0041\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800x\"",
        "\"\\ud800\\n\"",
        "\"\\ud800\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\\ud800\"",
        "\"\\ud800\\u\"",
        "\"\\ud83d\\ude0\"",
        "\"\xff\"",
        "\"\xc0\x80\"",
        "\"\xc1\xbf\"",
        "\"\x80\"",
        "\"\xc3\"",
        "\"\xe2\x82\"",
        "\"\xed\xa0\x80\"",
        "\"\xed\xbf\xbf\"",
        "\"\xe0\x80\x80\"",
        "\"\xf0\x80\x80\x80\"",
        "\"\xf4\x90\x80\x80\"",
        "\"\xf8\x88\x80\x80\x80\"",
        "[1,]",
        "[,1]",
        "[1,,2]",
        "[1 2]",
        "[1:2]",
        "[1",
        "[1}",
        "[",
        "{\"a\":1]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{]",
        "[\"\\ud800\"]",
        "{\"\\ud800\":1}",
        "{\"a\":1,\"a\":2}",
        "{\"\":1,\"\":2}",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"\\u00e9\":1,\"\xC3\xA9\":2}",
        "[{\"b\":{\"a\":1,\"c\":2,\"a\":3}}]",
        "{\"1\":0,\"2\":0,\"3\":0,\"4\":0,\"5\":0,\"6\":0,\"7\":0,\"8\":0,\"9\":0,\"1\":0}"}) {
    add_bad_json(to, std::string("args of ") + args, with_member(std::string("\"args\":") + args));
  }
  add_bad_json(to, "a number of 310 digits", with_member("\"args\":1" + repeated("0", 309)));
  add_bad_json(to, "one too deep",
               with_member("\"args\":" + repeated("[", 64) + repeated("]", 64)));
  add_bad_json(to, "objects one too deep",
               with_member("\"args\":" + repeated("{\"a\":", 63) + "{}" + repeated("}", 63)));
  add_bad_json(to, "very deep", repeated("[", 100'000));
  add_bad_json(to, "bad JSON after a bad field", R"({"priority":"x","type":"t","args":01})");
  to.push_back({"one byte too large",
                with_member("\"args\":\"" + repeated("x", (1 << 20) - 22) + "\"") + " ",
                "too_large", ""});
  add_good(to, "as large as can be",
           with_member("\"args\":\"" + repeated("x", (1 << 20) - 22) + "\""));
}

void add_bad_fields(Documents& to) {
  add_bad_field(to, "/type", "{}");
  add_bad_field(to, "/type", R"({"id":"a"})");
  for (const char* type :
       {"null", "7", "[\"t\"]", "\"\"", "\"a b\"", "\"a/b\"", "\"é\"", "\"\\u0000\""}) {
    add_bad_field(to, "/type", std::string("{\"type\":") + type + "}");
  }
  add_bad_field(to, "/type", R"({"type":")" + repeated("a", 129) + "\"}");
  for (const char* id : {"null", "7", "\"\"", "{}"}) {
    add_bad_field(to, "/id", with_member(std::string("\"id\":") + id));
  }
  add_bad_field(to, "/id", with_member(R"("id":")" + repeated("i", 129) + "\""));
  add_bad_field(to, "/id", with_member(R"("id":")" + repeated("é", 65) + "\""));
  for (const char* priority :
       {"-1001", "1001", "1.0", "1e2", "\"1\"", "null", "99999999999999999999"}) {
    add_bad_field(to, "/priority", with_member(std::string("\"priority\":") + priority));
  }
  for (const char* weight : {"0", "101", "-1", "1.5", "true", "9223372036854775808"}) {
    add_bad_field(to, "/weight", with_member(std::string("\"weight\":") + weight));
  }
  for (const char* meta : {"null", "[]", "\"x\"", "1"}) {
    add_bad_field(to, "/meta", with_member(std::string("\"meta\":") + meta));
  }
  for (const char* key : {"null", "1", "[]"}) {
    add_bad_field(to, "/unique_key", with_member(std::string("\"unique_key\":") + key));
  }
  for (const char* op : {"null", "1", "\"\"", "\"remove\"", "\"Cancel\""}) {
    add_bad_field(to, "/op", with_member(std::string("\"id\":\"a\",\"op\":") + op));
  }
  add_bad_field(to, "/runat", with_member(R"("runat":0)"));
  add_bad_field(to, "/Type", R"({"Type":"t"})");
  add_bad_field(to, "/", with_member(R"("":0)"));
  add_bad_field(to, "/a~1b~0c", with_member(R"("a/b~c":0)"));
  add_bad_field(to, "/x", with_member(R"("x":0,"y":0,"priority":"bad")"));
}

void add_bad_times(Documents& to) {
  for (const char* time : {"null",
                           "1.0",
                           "1e3",
                           "253402300800000",
                           "-62167219200001",
                           "9223372036854775808",
                           "\"\"",
                           "\"0\"",
                           "\"2026-03-01\"",
                           "\"2026-03-01T12:00:00\"",
                           "\"2026-03-01T12:00Z\"",
                           "\"2026-03-01 12:00:00Z\"",
                           "\"2026-3-01T12:00:00Z\"",
                           "\"2026-02-29T12:00:00Z\"",
                           "\"1900-02-29T12:00:00Z\"",
                           "\"2026-04-31T12:00:00Z\"",
                           "\"2026-00-01T12:00:00Z\"",
                           "\"2026-13-01T12:00:00Z\"",
                           "\"2026-03-00T12:00:00Z\"",
                           "\"2026-03-01T24:00:00Z\"",
                           "\"2026-03-01T12:60:00Z\"",
                           "\"2026-03-01T12:00:61Z\"",
                           "\"2026-03-01T12:00:60Z\"",
                           "\"2016-12-30T23:59:60Z\"",
                           "\"2016-12-31T23:59:60+01:00\"",
                           "\"2026-03-01T12:00:00.Z\"",
                           "\"2026-03-01T12:00:00,5Z\"",
                           "\"2026-03-01T12:00:00+0100\"",
                           "\"2026-03-01T12:00:00+24:00\"",
                           "\"2026-03-01T12:00:00+01:60\"",
                           "\"2026-03-01T12:00:00+01\"",
                           "\"2026-03-01T12:00:00ZZ\"",
                           "\" 2026-03-01T12:00:00Z\"",
                           "\"+2026-03-01T12:00:00Z\"",
                           "\"9999-12-31T23:59:59.9991Z\"",
                           "\"9999-12-31T23:59:59-00:01\"",
                           "\"9999-12-31T23:59:60Z\"",
                           "\"0000-01-01T00:00:00+00:01\"",
                           "\"tomorrow\"",
                           "{}"}) {
    add_bad_field(to, "/run_at", with_member(std::string("\"run_at\":") + time));
  }
  add_bad_field(to, "/expires_at", with_member(R"("expires_at":"soon")"));
}

void add_bad_bulks(Documents& to) {
  const auto bulk = [](const std::string& members) {
    return with_member("\"bulk\":{\"id\":\"b\",\"index\":0,\"size\":1" + members + "}");
  };
  const auto on_done = [&](const std::string& job) { return bulk(",\"on_done\":" + job); };
  add_bad_field(to, "/bulk", with_member(R"("bulk":"b")"));
  add_bad_field(to, "/bulk/id", with_member(R"("bulk":{"index":0,"size":1})"));
  add_bad_field(to, "/bulk/index", with_member(R"("bulk":{"id":"b","size":1})"));
  add_bad_field(to, "/bulk/size", with_member(R"("bulk":{"id":"b","index":0})"));
  add_bad_field(to, "/bulk/id", with_member(R"("bulk":{"id":"","index":0,"size":1})"));
  add_bad_field(to, "/bulk/index", with_member(R"("bulk":{"id":"b","index":1,"size":1})"));
  add_bad_field(to, "/bulk/index", with_member(R"("bulk":{"id":"b","index":-1,"size":1})"));
  add_bad_field(to, "/bulk/size", with_member(R"("bulk":{"id":"b","index":0,"size":0})"));
  add_bad_field(to, "/bulk/size", with_member(R"("bulk":{"id":"b","index":0,"size":1000000001})"));
  add_bad_field(to, "/bulk/other", bulk(R"(,"other":1)"));
  add_bad_field(to, "/bulk/on_done", on_done("null"));
  add_bad_field(to, "/bulk/on_done/type", on_done("{}"));
  add_bad_field(to, "/bulk/on_done/typo", on_done(R"({"type":"t","typo":1})"));
  add_bad_field(to, "/bulk/on_done/op", on_done(R"({"op":"cancel","id":"a"})"));
  add_bad_field(to, "/bulk/on_done/bulk", on_done(R"({"type":"t","bulk":1})"));
  add_bad_field(to, "/bulk/on_done/args", on_done(R"({"type":"t","args":[]})"));
  add_bad_field(to, "/bulk/on_done/args/bulk", on_done(R"({"type":"t","args":{"bulk":1}})"));
  add_bad_field(to, "/bulk/on_done/run_at", on_done(R"({"type":"t","run_at":"x"})"));
  add_good(to, "on_done with a time", on_done(R"({"type":"t","run_at":5,"id":"\u0061"})"));
}

void add_bad_commands(Documents& to) {
  add_bad_field(to, "/id", R"({"op":"cancel"})");
  add_bad_field(to, "/id", R"({"op":"cancel","id":""})");
  add_bad_field(to, "/id", R"({"op":"cancel","id":")" + repeated("d", 256) + "\"}");
  add_bad_field(to, "/type", R"({"op":"cancel","id":"a","type":"a b"})");
  add_bad_field(to, "/run_at", R"({"op":"cancel","id":"a","run_at":0})");
  add_bad_field(to, "/run_at", R"({"op":"retry","id":"a","run_at":0})");
  add_bad_field(to, "/run_at", R"({"op":"delete","id":"a","run_at":0})");
  add_bad_field(to, "/run_at", R"({"op":"reschedule","id":"a"})");
  add_bad_field(to, "/run_at", R"({"op":"reschedule","id":"a","run_at":"x"})");
  for (const char* member :
       {"args", "expires_at", "priority", "weight", "bulk", "unique_key", "meta"}) {
    add_bad_field(to, std::string("/") + member,
                  std::string(R"({"op":"retry","id":"a",")") + member + "\":1}");
  }
}

}  // namespace

std::vector<JobDocument> job_documents() {
  Documents documents;
  add_good_jobs(documents);
  add_good_times(documents);
  add_good_commands(documents);
  add_bad_texts(documents);
  add_bad_values(documents);
  add_bad_fields(documents);
  add_bad_times(documents);
  add_bad_bulks(documents);
  add_bad_commands(documents);
  return documents;
}

}  // namespace penstock
