/** Does work a slice at a time, between which the person can type, and then tells. Answers how to stop. */
export function inSlices(work: Iterator<void>, onDone?: () => void): () => void {
  let timer = 0;
  const goOn = (): void => {
    if (work.next().done === true) onDone?.();
    else timer = setTimeout(goOn);
  };
  timer = setTimeout(goOn);
  return () => clearTimeout(timer);
}
