import { always, benchGroup } from "../bench-group.ts";
import { benchCreate } from "../create.ts";
import { atLeast } from "../goal.ts";
import { benchHttp, type HttpFigure } from "../http.ts";

function read(name: string) {
  return (figures: readonly HttpFigure[]) => {
    const figure = figures.find((each) => each.name === name);
    return figure && { measured: figure.serviceUs, floor: figure.floorUs };
  };
}

/** What requests that read cost the server. */
export const HTTP_ROWS = benchGroup({
  name: "http",
  title: "REST, reading",
  sizes: [100_000],
  measure: () => benchHttp(),
  rows: [
    {
      id: "retrieve",
      what: "GET one node, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.8)),
      floor: "a bare fastify route that answers the same body",
      limit: "",
      read: read("retrieve"),
    },
    {
      id: "list-20",
      what: "GET a list of 20 children, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.8)),
      floor: "a bare fastify route that answers the same body",
      limit: "",
      read: read("list of 20"),
    },
    {
      id: "export",
      what: "export of everything, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.5)),
      floor: "JSON.stringify of the same objects in a bare fastify route",
      limit: "",
      read: read("export of 100,000"),
    },
  ],
});

/** What requests that write cost the server. */
export const CREATE_ROWS = benchGroup({
  name: "create",
  title: "REST, writing",
  sizes: [0],
  measure: () => benchCreate(),
  rows: [
    {
      id: "create",
      what: "POST a node, durable, by 64 connections",
      unit: "a second",
      comparison: "rate",
      goal: always(atLeast(0.7)),
      floor: "bare fastify that appends the body with a group commit",
      limit: "",
      read: ({ service, floor }) => ({ measured: service, floor }),
    },
  ],
});
