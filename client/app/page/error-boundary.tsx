import { Component, type ComponentChildren } from "preact";

interface Props {
  readonly children: ComponentChildren;
  /** Makes durable on this device what was done so far. */
  readonly store: () => Promise<void>;
}

interface State {
  readonly message: string | undefined;
  readonly outcome: "storing" | "stored" | "failed";
}

/**
 * Stands in for a page that broke. Edits live in the document and its store, not in what is on the
 * screen, so they are safe; it makes sure and says so.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { message: undefined, outcome: "storing" };

  override componentDidCatch(error: unknown): void {
    this.setState({ message: error instanceof Error ? error.message : String(error) });
    void this.#store();
  }

  async #store(): Promise<void> {
    try {
      await this.props.store();
      this.setState({ outcome: "stored" });
    } catch {
      this.setState({ outcome: "failed" });
    }
  }

  override render(): ComponentChildren {
    const { message, outcome } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <main class="sign-in">
        <div class="sign-in-card" role="alert">
          <h1>This page broke</h1>
          <p class="sign-in-lead">{SENTENCES[outcome]}</p>
          <button type="button" class="button" data-tone="main" onClick={() => location.reload()}>
            Reload
          </button>
          <p class="sign-in-hint">
            For a report: <code>{message}</code>
          </p>
        </div>
      </main>
    );
  }
}

const SENTENCES: Readonly<Record<State["outcome"], string>> = {
  storing: "What you wrote is being stored on this device…",
  stored: "What you wrote is stored on this device. Reload the page to go on.",
  failed:
    "What you wrote last could not be stored on this device. Leave this page open for a moment: it may still reach the server. Then reload.",
};
