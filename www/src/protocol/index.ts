// The types shared with Rust, in one place. The files under generated/ are written by ts-rs from
// crates/session/src/protocol.rs and crates/lesson/src/lesson.rs.
export type { Block } from "./generated/Block";
export type { CheckReport } from "./generated/CheckReport";
export type { Command } from "./generated/Command";
export type { ErrorInfo } from "./generated/ErrorInfo";
export type { Event } from "./generated/Event";
export type { GraphNode } from "./generated/GraphNode";
export type { Lesson } from "./generated/Lesson";
export type { LessonSummary } from "./generated/LessonSummary";
export type { Preview } from "./generated/Preview";
export type { QuizOption } from "./generated/QuizOption";
export type { StageGraph } from "./generated/StageGraph";
export type { TraceEvent } from "./generated/TraceEvent";
