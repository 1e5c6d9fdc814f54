import { useByteEquality } from "./byte-equality.ts";

useByteEquality();
