type Events = GlobalEventHandlersEventMap & DocumentEventMap & WindowEventMap;

/** Listens to events of one target, each by its name. Answers how to stop. */
export function listen(
  target: EventTarget,
  listeners: { readonly [Name in keyof Events]?: (event: Events[Name]) => void },
  options?: Omit<AddEventListenerOptions, "signal">,
): () => void {
  const ending = new AbortController();
  for (const [name, listener] of Object.entries(listeners)) {
    // The name says which kind of event it gets.
    target.addEventListener(name, listener as EventListener, { ...options, signal: ending.signal });
  }
  return () => ending.abort();
}
