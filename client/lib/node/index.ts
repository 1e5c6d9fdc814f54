export * from "../names.ts";
export * from "./open.ts";
