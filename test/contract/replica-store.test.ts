import { replicaStoreContract } from "./replica-store-contract.ts";
import { levelReplicaDriver, memoryReplicaDriver } from "./replica-store-driver.ts";

replicaStoreContract(memoryReplicaDriver);
replicaStoreContract(levelReplicaDriver);
