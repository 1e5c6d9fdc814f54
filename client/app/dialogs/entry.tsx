import type { ComponentChildren } from "preact";

/** One of a list of things, and what can be done with it. */
export function Entry({
  title,
  detail,
  children,
}: {
  readonly title: string;
  readonly detail: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <li class="entry">
      <div class="entry-text">
        <p>{title}</p>
        <p class="entry-detail">{detail}</p>
      </div>
      <div class="entry-actions">{children}</div>
    </li>
  );
}
