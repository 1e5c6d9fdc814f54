import type { Socket } from "node:net";

/**
 * Reads no more from a connection than what is being read just now, until the answer is called. Node
 * itself reads on whenever it has taken in a request, and whenever somebody wants its body: pausing
 * once is not enough.
 */
export function holdReading(socket: Socket): () => void {
  const hold = (): void => {
    socket.pause();
  };
  socket.on("resume", hold);
  socket.pause();
  return () => {
    socket.off("resume", hold);
    if (!socket.destroyed) socket.resume();
  };
}
