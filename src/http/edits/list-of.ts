import { z } from "zod";

/**
 * A list of parts that are looked at one by one, in turns of whom it is for, however many and however
 * deep in each other. @param component what each is, in the OpenAPI document
 */
export function listOf(component: string): z.ZodArray<z.ZodUnknown> {
  return z.array(z.unknown()).meta({ items: { $ref: `#/components/schemas/${component}` } });
}
