import { accountStoreContract } from "./account-store-contract.ts";
import { outlineLogContract } from "./outline-log-contract.ts";
import { levelDriver } from "./store-driver.ts";

outlineLogContract(levelDriver);
accountStoreContract(levelDriver);
