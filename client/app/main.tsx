import { render } from "preact";

const place = document.getElementById("app");
if (place !== null) render(<main>Outline</main>, place);
