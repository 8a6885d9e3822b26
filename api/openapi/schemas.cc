#include "api/openapi/schemas.h"

namespace penstock {
namespace {

constexpr const char* kParameters = R"json({
  "account": {"description": "Only of this account", "schema": {"type": "string"}},
  "after": {"description": "Where to continue: the value that the last page gave", "schema": {"type": "string"}},
  "bulk": {"description": "Only chunks of this bulk", "schema": {"type": "string"}},
  "by": {"description": "Of a change: the name to record. Of accounts: the order, line or oldest", "schema": {"type": "string"}},
  "dry_run": {"description": "Only count", "schema": {"type": "boolean"}},
  "error": {"description": "Only jobs whose reason contains this text", "schema": {"type": "string"}},
  "from": {"description": "Only what is of this time or later", "schema": {"type": "string"}},
  "id": {"description": "Only jobs whose id begins with this text", "schema": {"type": "string"}},
  "limit": {"description": "The length of a page", "schema": {"type": "integer", "minimum": 1, "maximum": 1000}},
  "reason": {"description": "Only records with this reason; several as a,b", "schema": {"type": "string"}},
  "state": {"description": "Only jobs in this state", "schema": {"$ref": "#/components/schemas/State"}},
  "timeout": {"description": "How long to wait at most, such as 10s", "schema": {"type": "string"}},
  "to": {"description": "Only what is older than this time", "schema": {"type": "string"}},
  "type": {"description": "Only of this type", "schema": {"type": "string"}},
  "wait": {"description": "Answer when the job was admitted, or has ended", "schema": {"enum": ["admitted", "ended"]}}
})json";

constexpr const char* kJobSchemas = R"json({
  "State": {"enum": ["scheduled", "ready", "waiting", "running", "retrying", "succeeded", "dead", "cancelled", "duplicate", "expired"]},
  "JobRecord": {
    "type": "object", "required": ["account", "type"], "additionalProperties": false,
    "properties": {
      "account": {"type": "string", "minLength": 1, "maxLength": 255},
      "type": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"},
      "id": {"type": "string", "minLength": 1, "maxLength": 255},
      "args": {},
      "run_at": {"type": ["string", "integer"]},
      "expires_at": {"type": ["string", "integer"]},
      "priority": {"type": "integer", "minimum": -1000, "maximum": 1000},
      "weight": {"type": "integer", "minimum": 1, "maximum": 100},
      "bulk": {"type": "object"},
      "unique_key": {"type": "string"},
      "meta": {"type": "object"},
      "op": {"enum": ["enqueue", "cancel", "retry", "reschedule", "delete"]}
    }
  },
  "JobsToEnqueue": {"oneOf": [{"$ref": "#/components/schemas/JobRecord"},
                              {"type": "array", "items": {"$ref": "#/components/schemas/JobRecord"}}]},
  "EnqueuedJob": {
    "type": "object", "required": ["id", "account", "partition", "offset"],
    "properties": {
      "id": {"type": "string"}, "account": {"type": "string"},
      "partition": {"type": "integer"}, "offset": {"type": ["integer", "null"]},
      "state": {"type": ["string", "null"]}, "duplicate_of": {"type": "string"}, "reason": {"type": "string"}
    }
  },
  "Enqueued": {
    "type": "object", "required": ["jobs"],
    "properties": {"jobs": {"type": "array", "items": {"$ref": "#/components/schemas/EnqueuedJob"}}}
  },
  "Job": {
    "type": "object", "required": ["id", "queue", "type", "account", "state", "attempt"],
    "properties": {
      "id": {"type": "string"}, "queue": {"type": "string"}, "type": {"type": "string"},
      "account": {"type": "string"}, "state": {"$ref": "#/components/schemas/State"},
      "attempt": {"type": "integer"}, "max_attempts": {"type": ["integer", "null"]},
      "run_at": {"type": ["string", "null"]}, "created": {"type": ["string", "null"]},
      "started": {"type": ["string", "null"]}, "ended": {"type": ["string", "null"]},
      "reason": {"type": ["string", "null"]}, "why": {"type": ["string", "null"]},
      "waits_for": {"type": ["string", "null"]},
      "blocked_by": {"type": "array", "items": {"type": "object"}},
      "progress": {"type": "object"}, "snoozes": {"type": "integer"},
      "args": {}, "meta": {"type": ["object", "null"]}, "headers": {"type": "object"}, "cursor": {},
      "bulk": {"type": ["string", "null"]}, "priority": {"type": "integer"}, "weight": {"type": "integer"},
      "unique_key": {"type": ["string", "null"]}, "expires_at": {"type": ["string", "null"]},
      "replay": {"type": ["object", "null"]},
      "partitions_not_here": {"$ref": "#/components/schemas/PartitionNumbers"}
    }
  },
  "Jobs": {
    "type": "object", "required": ["jobs", "after"],
    "properties": {
      "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/Job"}},
      "after": {"type": ["string", "null"]},
      "partitions_not_here": {"$ref": "#/components/schemas/PartitionNumbers"}
    }
  },
  "CommandSent": {
    "type": "object", "required": ["id", "account", "op"],
    "properties": {"id": {"type": "string"}, "account": {"type": "string"}, "op": {"type": "string"},
                   "partition": {"type": "integer"}, "offset": {"type": ["integer", "null"]}}
  },
  "When": {
    "type": "object", "description": "Either a time or a duration from now",
    "properties": {"run_at": {"type": ["string", "integer"]}, "in": {"type": "string"}}
  },
  "Action": {
    "type": "object", "required": ["op"], "additionalProperties": false,
    "properties": {
      "op": {"enum": ["cancel", "retry", "reschedule", "delete"]},
      "state": {"$ref": "#/components/schemas/State"}, "type": {"type": "string"},
      "account": {"type": "string"}, "bulk": {"type": "string"}, "error": {"type": "string"},
      "id": {"type": "string"}, "from": {"type": "string"}, "to": {"type": "string"},
      "run_at": {"type": ["string", "integer"]}, "in": {"type": "string"},
      "dry_run": {"type": "boolean"}, "all": {"type": "boolean"},
      "limit": {"type": "integer", "minimum": 1}, "after": {"type": "string"}
    }
  },
  "ActionResult": {
    "type": "object", "required": ["op", "matched", "sent", "after"],
    "properties": {
      "op": {"type": "string"}, "dry_run": {"type": "boolean"}, "matched": {"type": "integer"},
      "sent": {"type": "integer"}, "after": {"type": ["string", "null"]},
      "sample": {"type": "array", "items": {"$ref": "#/components/schemas/Job"}},
      "errors": {"type": "array", "items": {"type": "object"}}
    }
  },
  "PartitionNumbers": {"type": "array", "items": {"type": "integer"}}
})json";

constexpr const char* kOtherSchemas = R"json({
  "Problem": {
    "type": "object", "required": ["type", "title", "status", "detail"],
    "properties": {"type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
                   "detail": {"type": "string"}, "member": {"type": "string"}}
  },
  "Queue": {
    "type": "object", "required": ["queue", "partitions", "running", "jobs", "phases"],
    "properties": {
      "queue": {"type": "string"}, "partitions": {"type": "integer"}, "account_concurrency": {"type": "integer"},
      "running": {"type": "integer"}, "ready_accounts": {"type": "integer"}, "jobs": {"type": "integer"},
      "oldest_ready_ms": {"type": "integer"}, "overdue_ms": {"type": "integer"},
      "phases": {"type": "object"}, "item_ms": {"type": "object"}, "counts": {"type": "object"},
      "rates": {"type": "object"}, "states": {"type": "object"}, "waiting": {"type": "object"},
      "failures": {"type": "array", "items": {"type": "object"}}, "census_at": {"type": ["string", "null"]},
      "silent_loops": {"type": "integer"},
      "partitions_not_here": {"$ref": "#/components/schemas/PartitionNumbers"}
    }
  },
  "Queues": {"type": "object", "required": ["queues"],
             "properties": {"queues": {"type": "array", "items": {"$ref": "#/components/schemas/Queue"}}}},
  "History": {"type": "object", "required": ["step_ms", "points"],
              "properties": {"step_ms": {"type": "integer"}, "points": {"type": "array", "items": {"type": "object"}}}},
  "Accounts": {"type": "object", "required": ["accounts"],
               "properties": {"accounts": {"type": "array", "items": {"type": "object"}}, "complete": {"type": "boolean"}}},
  "Breakers": {"type": "object", "required": ["breakers"],
               "properties": {"breakers": {"type": "array", "items": {"type": "object"}}}},
  "Bulks": {"type": "object", "required": ["bulks", "after"],
            "properties": {"bulks": {"type": "array", "items": {"type": "object"}}, "after": {"type": ["string", "null"]}}},
  "Workers": {"type": "object", "required": ["workers", "unanswered"],
              "properties": {"workers": {"type": "array", "items": {"type": "object"}},
                             "unanswered": {"type": "array", "items": {"type": "object"}}}},
  "Dead": {"type": "object", "required": ["dead", "after"],
           "properties": {"dead": {"type": "array", "items": {"type": "object"}}, "after": {"type": ["string", "null"]}}},
  "Resend": {"type": "object",
             "properties": {"reason": {"type": ["string", "array"]}, "type": {"type": "string"}, "account": {"type": "string"},
                            "from": {"type": "string"}, "to": {"type": "string"}, "limit": {"type": "integer"},
                            "after": {"type": "string"}, "dry_run": {"type": "boolean"}}},
  "Resent": {"type": "object", "required": ["listed", "sent"], "properties": {"listed": {"type": "integer"}, "sent": {"type": "integer"}}},
  "PauseSet": {"type": "object", "required": ["op", "queue"], "properties": {"op": {"type": "string"}, "queue": {"type": "string"}}},
  "Pauses": {"type": "object", "required": ["pauses"], "properties": {"pauses": {"type": "array", "items": {"type": "object"}}}},
  "Limits": {"type": "object", "required": ["limits"], "properties": {"limits": {"type": "array", "items": {"type": "object"}}}},
  "LimitToSet": {"type": "object", "additionalProperties": false,
                 "properties": {"slots": {"type": "integer", "minimum": 0}, "rate": {"type": "string"}, "burst": {"type": "integer"}}},
  "LimitSet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "set": {}}},
  "ReplayToStart": {"type": "object", "properties": {"id": {"type": "string"}}},
  "Replay": {"type": "object"},
  "Replays": {"type": "object", "required": ["replays"], "properties": {"replays": {"type": "array", "items": {"$ref": "#/components/schemas/Replay"}}}}
})json";

}  // namespace

const nlohmann::ordered_json& openapi_schemas() {
  static const nlohmann::ordered_json kSchemas = [] {
    auto schemas = nlohmann::ordered_json::parse(kJobSchemas);
    schemas.update(nlohmann::ordered_json::parse(kOtherSchemas));
    return schemas;
  }();
  return kSchemas;
}

const nlohmann::ordered_json& openapi_parameters() {
  static const auto kAll = nlohmann::ordered_json::parse(kParameters);
  return kAll;
}

}  // namespace penstock
