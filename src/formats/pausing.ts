/** Does work in steps, with a pause behind each: there others may have their turn. */
export function* pausing<T, Pause>(
  steps: Generator<unknown, T>,
  pause: Pause,
): Generator<Pause, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield pause;
  }
}
