# The log goes through a pipe, and of it only the lines of this provider reach the disk.
mkfifo hap.fifo
grep '"@module":"hap[."]' < hap.fifo > hap.log &
TF_LOG=JSON TF_LOG_PATH=hap.fifo tofu plan
wait
rm hap.fifo
