"""A trajectory of each kind, as the kinds' own schemas have them."""

from proctor_client.formats import read

ATIF = {
    "schema_version": "ATIF-v1.7",
    "session_id": "s1",
    "agent": {"name": "a", "version": "1", "model_name": "m"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "do it", "timestamp": "2026-01-02T03:04:05Z"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "two calls",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}},
                {"tool_call_id": "c2", "function_name": "bash", "arguments": {"command": "pwd"}},
            ],
            "observation": {
                "results": [
                    {"source_call_id": "c2", "content": "/w"},
                    {"source_call_id": "c1", "content": [{"type": "text", "text": "a"}]},
                ]
            },
        },
        {"step_id": 3, "source": "agent", "message": "again", "is_copied_context": True},
        {"step_id": 4, "source": "agent", "message": "done", "observation": {"results": [{"content": "free"}]}},
    ],
    "subagent_trajectories": [
        {
            "trajectory_id": "t2",
            "agent": {"name": "b", "version": "1"},
            "steps": [{"step_id": 1, "source": "agent", "message": "sub"}],
        }
    ],
    "final_metrics": {"total_cost_usd": 0.1},
}
CHAT = [
    {"role": "system", "content": "be good"},
    {"role": "user", "content": [{"type": "text", "text": "do it"}, {"type": "image_url", "image_url": {"url": "x"}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "a"},
    {"role": "assistant", "content": "done"},
]
RESPONSES = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do it"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "think"}]},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "a"},
    {"type": "local_shell_call", "call_id": "c2", "action": {"command": ["ls"]}},
    {"type": "local_shell_call_output", "call_id": "c2", "output": "b"},
    {"type": "web_search_call", "id": "w1", "status": "completed", "query": "q"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
]
SWE_AGENT = {
    "trajectory": [{"action": "ls\n", "observation": "a", "thought": "look", "response": "r", "state": {}}],
    "history": [],
    "info": {"submission": "diff --git a b\n", "exit_status": "submitted"},
}
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "t", "model": "openai/m"},
    "samples": [
        {
            "id": 7,
            "epoch": 2,
            "scores": {"match": {"value": "C"}},
            "messages": [
                {"role": "user", "content": "do it", "id": "u1"},
                {
                    "role": "assistant",
                    "id": "a1",
                    "content": [{"type": "reasoning", "reasoning": "x"}, {"type": "text", "text": "look"}],
                    "tool_calls": [{"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}],
                },
                {
                    "role": "tool",
                    "tool_call_id": "c1",
                    "content": "",
                    "error": {"type": "timeout", "message": "too slow"},
                },
            ],
        }
    ],
}
BASH = {"action": {"tool": "bash", "arguments": {"command": "ls"}}, "observation": {"output": "a"}}


def steps_of(raw):
    return read(raw)[0].steps
