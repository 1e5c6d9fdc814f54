/** Does all that a generator does, whatever it yields on the way. */
export function inOneGo<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
