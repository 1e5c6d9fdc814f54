import { z } from "zod";

/** What the registry says of known vulnerabilities, as `npm audit --json` prints it. */
export type AuditReport =
  | { readonly kind: "answered"; readonly vulnerable: readonly Vulnerable[] }
  /** The registry could not be asked: nothing is known. */
  | { readonly kind: "unanswered"; readonly why: string };

export interface Vulnerable {
  readonly name: string;
  readonly severity: "info" | "low" | "moderate" | "high" | "critical";
  readonly range: string;
}

const ANSWER = z.object({
  auditReportVersion: z.number(),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      name: z.string(),
      severity: z.enum(["info", "low", "moderate", "high", "critical"]),
      range: z.string(),
    }),
  ),
});
const REFUSAL = z.object({ message: z.string() });

/** @param printed what `npm audit --json` has printed, whatever its exit code */
export function readAuditReport(printed: string): AuditReport {
  let json: unknown;
  try {
    json = JSON.parse(printed);
  } catch {
    return { kind: "unanswered", why: "npm audit printed no JSON" };
  }
  const answer = ANSWER.safeParse(json);
  if (answer.success) {
    const vulnerable = Object.values(answer.data.vulnerabilities);
    return { kind: "answered", vulnerable };
  }
  const refusal = REFUSAL.safeParse(json);
  // The address of the registry is whoever's machine this is, and says nothing here.
  const why = refusal.success ? refusal.data.message.replace(/ - .*/s, "") : "an unknown answer";
  return { kind: "unanswered", why };
}

/** Whether it may not be shipped so. */
export function isGrave({ severity }: Vulnerable): boolean {
  return severity === "high" || severity === "critical";
}
