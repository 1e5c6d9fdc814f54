/** Drawn on a grid of 24, in lines of the text's colour. */
const PATHS = {
  menu: "M4 7h16M4 12h16M4 17h16",
  home: "M4 11.5 12 5l8 6.5M6.5 10v9h11v-9",
  search: "M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12ZM15 15l5 5",
  star: "m12 4.5 2.3 4.7 5.2.7-3.8 3.6.9 5.1L12 16.1l-4.6 2.5.9-5.1-3.8-3.6 5.2-.7Z",
  more: "M5.5 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2ZM12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2ZM18.5 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2Z",
  close: "M6 6l12 12M18 6 6 18",
  calendar: "M5 7.5h14v11.5H5ZM5 11h14M9 4.5v3M15 4.5v3",
  today:
    "M12 8.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6ZM12 3.5v1.8M12 18.7v1.8M3.5 12h1.8M18.7 12h1.8M6 6l1.2 1.2M16.8 16.8 18 18M18 6l-1.2 1.2M7.2 16.8 6 18",
  recent: "M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM12 8v4.2l2.8 1.6",
  inbox: "M4.5 13.5 7 5.5h10l2.5 8v5h-15ZM4.5 13.5h4.5c0 1.7 1.3 3 3 3s3-1.3 3-3h4.5",
  plus: "M12 5v14M5 12h14",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words, or in a button with a label of its own: nothing is read out for it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
