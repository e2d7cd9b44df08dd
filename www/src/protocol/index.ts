// The types shared with Rust, in one place. The files under generated/ are written by `cargo lab types`: types
// from crates/session/src/protocol.rs and crates/lesson/src, constants as crates/session/src/constants.rs
// tells.
export type { Block } from "./generated/Block";
export type { Chart } from "./generated/Chart";
export type { CheckReport } from "./generated/CheckReport";
export type { Command } from "./generated/Command";
export type { ErrorInfo } from "./generated/ErrorInfo";
export type { Event } from "./generated/Event";
export type { Figure } from "./generated/Figure";
export type { GraphNode } from "./generated/GraphNode";
export type { Instrument } from "./generated/Instrument";
export type { KernelInfo } from "./generated/KernelInfo";
export type { KernelList } from "./generated/KernelList";
export type { KernelNode } from "./generated/KernelNode";
export type { LayerArgument } from "./generated/LayerArgument";
export type { LayerRow } from "./generated/LayerRow";
export type { LayerValue } from "./generated/LayerValue";
export type { Lesson } from "./generated/Lesson";
export type { LessonSummary } from "./generated/LessonSummary";
export type { MemoryBuffer } from "./generated/MemoryBuffer";
export type { MemoryHolder } from "./generated/MemoryHolder";
export type { MemoryMap } from "./generated/MemoryMap";
export type { MemoryPoint } from "./generated/MemoryPoint";
export type { MemoryUsage } from "./generated/MemoryUsage";
export type { MemoryView } from "./generated/MemoryView";
export type { OpEntry } from "./generated/OpEntry";
export type { OpFamily } from "./generated/OpFamily";
export type { Piece } from "./generated/Piece";
export type { Preview } from "./generated/Preview";
export type { QuizOption } from "./generated/QuizOption";
export type { Reference } from "./generated/Reference";
export type { SourceLine } from "./generated/SourceLine";
export type { StageGraph } from "./generated/StageGraph";
export type { TraceEvent } from "./generated/TraceEvent";
