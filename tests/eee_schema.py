"""What Every Eval Ever's schema 0.3.0 asks of what we write, in our words: required fields, types, closed objects."""

TEXT, NUMBER, WHOLE, TEXTS = {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "array"}
DETAILS = {"type": "object", "additionalProperties": TEXT}


def closed(required, optional=None):
    """An object with these fields and no others."""
    properties = {**required, **(optional or {})}
    return {
        "type": "object",
        "required": list(required),
        "properties": properties,
        "additionalProperties": False,
    }


def opened(**required):
    """An object with these fields, and perhaps others."""
    return {"type": "object", "required": list(required), "properties": required}


def one_of(*values):
    return {"enum": list(values)}


UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
BOUND = {"oneOf": [NUMBER, one_of("Infinity", "-Infinity"), {"type": "null"}]}
METRIC = {
    **opened(lower_is_better={"type": "boolean"}),
    "if": {"required": ["score_type"], "properties": {"score_type": {"const": "continuous"}}},
    "then": {"required": ["min_score", "max_score"]},
}
METRIC["properties"] |= {
    "metric_id": TEXT,
    "metric_name": TEXT,
    "metric_kind": TEXT,
    "metric_unit": TEXT,
    "score_type": one_of("binary", "continuous", "levels"),
    "min_score": BOUND,
    "max_score": BOUND,
    "metric_parameters": {
        "type": "object",
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    },
    "additional_details": DETAILS,
}
SOURCE = {
    "oneOf": [
        {**opened(dataset_name=TEXT, source_type={"const": "hf_dataset"}, hf_repo=TEXT)},
        {**opened(dataset_name=TEXT, source_type={"const": "other"}, additional_details=DETAILS)},
    ]
}
UNCERTAINTY = closed(
    {},
    {
        "standard_error": closed({"value": NUMBER}, {"method": TEXT}),
        "confidence_interval": closed({"lower": NUMBER, "upper": NUMBER}, {"confidence_level": NUMBER, "method": TEXT}),
        "standard_deviation": NUMBER,
        "num_samples": WHOLE,
        "num_bootstrap_samples": WHOLE,
    },
)
GENERATION = closed(
    {},
    {
        "generation_args": closed(
            {},
            {
                "temperature": {"type": ["null", "number"]},
                "top_p": {"type": ["null", "number"]},
                "top_k": {"type": ["null", "number"]},
                "max_tokens": {"type": "integer", "minimum": 1},
                "eval_plan": closed({}, {"name": TEXT, "steps": {"type": "array", "items": TEXT}, "config": DETAILS}),
            },
        ),
        "additional_details": DETAILS,
    },
)
RESULT = closed(
    {
        "evaluation_name": TEXT,
        "source_data": SOURCE,
        "metric_config": METRIC,
        "score_details": closed({"score": NUMBER}, {"details": DETAILS, "uncertainty": UNCERTAINTY}),
    },
    {"evaluation_result_id": TEXT, "evaluation_timestamp": TEXT, "generation_config": GENERATION},
)
MODEL_DETAILS = {
    **opened(
        deployment_type=one_of("self_deployed", "externally_managed", "unknown"),
        model_availability=one_of("open_weights", "closed_weights", "unknown"),
    ),
    "additionalProperties": TEXT,
}
RECORD = closed(
    {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": TEXT,
        "retrieved_timestamp": {"type": "string", "pattern": "^[0-9]+$"},
        "source_metadata": opened(
            source_type=one_of("documentation", "evaluation_run"),
            source_organization_name=TEXT,
            evaluator_relationship=one_of("first_party", "third_party", "collaborative", "other"),
            additional_details=DETAILS,
        ),
        "model_info": opened(name=TEXT, id=TEXT, additional_details=MODEL_DETAILS),
        "eval_library": opened(name=TEXT, version=TEXT, additional_details=DETAILS),
        "evaluation_results": {"type": "array", "items": RESULT},
    },
    {
        "evaluation_timestamp": TEXT,
        "detailed_evaluation_results": closed(
            {
                "format": one_of("jsonl"),
                "file_path": {"type": "string", "pattern": rf"^data/[^/]+/[^/]+/[^/]+/{UUID}_samples\.jsonl$"},
            },
            {"hash_algorithm": one_of("sha256", "md5"), "checksum": TEXT, "total_rows": WHOLE},
        ),
    },
)
ATTRIBUTION = closed(
    {
        "turn_idx": {"type": "integer", "minimum": 0},
        "source": TEXT,
        "extracted_value": TEXT,
        "extraction_method": TEXT,
        "is_terminal": {"type": "boolean"},
    }
)
TOKENS = {"type": "integer", "minimum": 0}
SAMPLE = closed(
    {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": TEXT,
        "model_id": TEXT,
        "evaluation_name": TEXT,
        "sample_id": TEXT,
        "interaction_type": {"const": "single_turn"},
        "input": closed({"raw": TEXT, "reference": {"type": "array", "items": TEXT}}),
        "output": closed({"raw": {"type": "array", "items": TEXT}}),  # required of a single turn
        "answer_attribution": {"type": "array", "items": ATTRIBUTION},
        "evaluation": closed({"score": NUMBER, "is_correct": {"type": "boolean"}}, {"num_turns": WHOLE}),
    },
    {
        "evaluation_result_id": TEXT,
        "sample_hash": TEXT,
        "token_usage": closed({"input_tokens": TOKENS, "output_tokens": TOKENS, "total_tokens": TOKENS}),
        "performance": closed({}, {"latency_ms": {"type": "number", "minimum": 0}}),
        "metadata": DETAILS,
    },
)
